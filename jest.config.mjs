export default {
  // It compiles TypeScript as it loads it, and loads the service once a worker.
  runner: '<rootDir>/test/support/native/runner.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/embedded-mongo/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/testing-kit/dist/'],
  setupFiles: ['reflect-metadata'],
  // One more than two cores: suites wait, for a lease, a retry or a process that starts.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Long enough for a busy machine: no test measures time.
  testTimeout: 180_000,
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
