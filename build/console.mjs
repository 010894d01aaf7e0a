// The fourth step of a build: makes the console, hashed files that the facade serves at /console.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

await build({
  root: `${root}console`,
  base: '/console/',
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: `${process.env.BUILD_INTO ?? `${root}dist`}/console`,
    emptyOutDir: true,
    // No script in the page: the content security policy allows none.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The library for PDF loads when one is shown; a test bounds the first load.
    chunkSizeWarningLimit: 1_800,
    rolldownOptions: {
      onwarn: (warning, warn) => {
        // 'use client' means nothing without a server that renders.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
    target: ['chrome111', 'firefox115', 'safari16.4'],
  },
});
