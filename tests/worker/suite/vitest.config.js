// Run in a folder that tests/worker/suite.test.mjs prepares: this folder, the example, and the packed package.
import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [
    cloudflareTest(({ inject }) => ({
      wrangler: { configPath: './example/wrangler.jsonc' },
      miniflare: { bindings: { GATEWAYS: inject('gateways') } },
    })),
  ],
  test: {
    globalSetup: ['./cluster.js'],
    include: ['*.spec.js'],
    maxWorkers: 1,
  },
});
