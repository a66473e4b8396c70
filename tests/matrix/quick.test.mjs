// The part of `make matrix` that takes no time and needs no tools of its own.
import { after, before, test } from 'node:test';
import { Lifetime } from '../demo/lifetime.mjs';
import { makeBench } from './bench.mjs';
import { esbuild } from './bundlers/esbuild.mjs';
import { trialOf } from './bundlers.mjs';
import { node20 } from './runtimes.mjs';

const shared = new Lifetime();
let bench;
before(() => {
  bench = makeBench(shared);
});
after(() => shared.end());

for (const trial of [...esbuild.map(trialOf), node20]) {
  test(`the packed package in ${trial.name} connects and fails over`, async (t) => {
    const life = new Lifetime();
    t.after(() => life.end());
    await trial.run(bench, life);
  });
}
