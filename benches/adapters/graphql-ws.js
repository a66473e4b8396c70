// Not lazy, so that it holds a connection as the others do; everything else is the default.
import { createClient } from 'graphql-ws';
import { states } from './_util.js';

export const meta = {
  pkg: 'graphql-ws',
  server: 'graphql',
  rpc: 'own',
  list: 'url-fn',
  reconnects: true,
  timeouts: 'none',
  entry: "export { createClient } from 'graphql-ws'",
};

const query = 'mutation($m:String!,$p:JSON){call(m:$m,p:$p)}';

export function connect(urls, _options, more = {}) {
  const state = states();
  let dials = 0;
  let url;
  const nextUrl = () => {
    url = urls[dials++ % urls.length];
    return url;
  };
  const client = createClient({
    url: nextUrl,
    lazy: false,
    onNonLazyError(error) {
      state.set('failed', String(error?.type ?? error));
      console.error(error); // as its own default does
    },
    on: { connected: () => state.set('open', url), closed: () => state.set('closed') },
    ...more,
  });
  return {
    request: (m, p) => once(client, { query, variables: { m, p } }),
    onState: state.onState,
    close: () => client.dispose(),
  };
}

function once(client, operation) {
  return new Promise((resolve, reject) => {
    let answer;
    client.subscribe(operation, {
      next(value) {
        answer = value;
      },
      error: reject,
      complete() {
        if (answer === undefined) reject(new Error('completed without an answer'));
        else if (answer.errors) reject(answer.errors);
        else resolve(answer.data.call);
      },
    });
  });
}
