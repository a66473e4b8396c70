// A graphql-ws server: node graphql_server.mjs PORT NAME
import { createServer } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const [port, name] = process.argv.slice(2);
const TICK_MILLISECONDS = 10;
let running = 0;

const tick = new GraphQLObjectType({
  name: 'Tick',
  fields: {
    server: { type: new GraphQLNonNull(GraphQLString) },
    topic: { type: new GraphQLNonNull(GraphQLString) },
    number: { type: new GraphQLNonNull(GraphQLInt) },
    running: { type: new GraphQLNonNull(GraphQLInt) },
  },
});

async function* ticks(_, { topic }) {
  running += 1;
  try {
    for (let number = 1; ; number += 1) {
      yield { ticks: { server: name, topic, number, running } };
      await after(TICK_MILLISECONDS);
    }
  } finally {
    running -= 1;
  }
}

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: { name: { type: GraphQLString, resolve: () => name } },
  }),
  subscription: new GraphQLObjectType({
    name: 'Subscription',
    fields: {
      ticks: { type: tick, args: { topic: { type: new GraphQLNonNull(GraphQLString) } }, subscribe: ticks },
    },
  }),
});

const http = createServer((_, response) => response.writeHead(426).end());
useServer({ schema }, new WebSocketServer({ server: http, path: '/graphql' }));
http.listen(Number(port), '127.0.0.1');
