// graphql-ws's own server. Documents are parsed once and kept, as persisted queries are, so that the client is measured.
import {
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { startGateway } from '../lib/track.mjs';

const same = (value) => value;
const anything = new GraphQLScalarType({
  name: 'JSON',
  serialize: same,
  parseValue: same,
  parseLiteral: valueFromASTUntyped,
});

function schemaOf(methods) {
  const call = {
    type: anything,
    args: { m: { type: new GraphQLNonNull(GraphQLString) }, p: { type: anything } },
    resolve: (_root, { m, p }) => new Promise((resolve) => methods.handle(m, p, resolve)),
  };
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { call } }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields: { call } }),
  });
}

export function start({ port, methods }) {
  const schema = schemaOf(methods);
  const documents = new Map();
  const onSubscribe = (_context, _id, { query, operationName, variables: variableValues }) => {
    if (!documents.has(query)) documents.set(query, parse(query));
    return { schema, document: documents.get(query), operationName, variableValues };
  };
  return startGateway(
    port,
    () => {},
    (sockets) => useServer({ schema, onSubscribe }, sockets),
  );
}
