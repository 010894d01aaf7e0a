import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform, version } from '@swc/core';

// Module hooks of the workers: TypeScript is compiled as it is loaded, and kept by content; `@jest/globals` is the module
// that the worker sets for each suite; each module of tests is loaded once a suite.

const ROOT = new URL('../../../', import.meta.url).href;
const GLOBALS = new URL('globals.mjs', import.meta.url).href;
const TESTING_KIT = new URL('testing-kit/index.ts', ROOT).href;
const OF_TESTS = [`${ROOT}test/`, `${ROOT}embedded-mongo/test/`];
const OF_THIS_FOLDER = new URL('./', import.meta.url).href;
const CACHE = new URL('node_modules/.cache/tests-compiled/', ROOT);
const OPTIONS = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: false },
  },
};
const SALT = `${version} ${JSON.stringify(OPTIONS)} `;

const isOfTests = (url) => OF_TESTS.some((folder) => url.startsWith(folder)) && !url.startsWith(OF_THIS_FOLDER);

/** The file of a relative specifier, as TypeScript resolves it: `./x.js` names `./x.ts` where that exists. */
function fileOf(specifier, parentURL) {
  const url = new URL(specifier, parentURL);
  url.search = '';
  if (!url.pathname.endsWith('.js') || url.pathname.includes('/node_modules/')) return url;
  const typed = new URL(url.href.replace(/\.js$/, '.ts'));
  return existsSync(fileURLToPath(typed)) ? typed : url;
}

export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  if (specifier === 'evidentiary-audit-service/testing-kit') return { url: TESTING_KIT, shortCircuit: true };
  const { parentURL } = context;
  if (parentURL === undefined || parentURL.includes('/node_modules/') || !/^\.{0,2}\/|^file:/.test(specifier))
    return next(specifier, context);
  const url = fileOf(specifier, parentURL);
  if (!isOfTests(url.href))
    return url.pathname.endsWith('.ts') ? { url: url.href, shortCircuit: true } : next(specifier, context);
  const suite = new URL(parentURL).search || new URL(specifier, parentURL).search;
  return { url: `${url.href}${suite}`, shortCircuit: true, importAttributes: context.importAttributes };
}

export async function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await compiled(fileURLToPath(url)), shortCircuit: true };
}

async function compiled(file) {
  const source = await readFile(file, 'utf8');
  const name = new URL(createHash('sha256').update(SALT).update(file).update(source).digest('hex'), CACHE);
  try {
    return await readFile(name, 'utf8');
  } catch {
    const { code } = await transform(source, { ...OPTIONS, filename: file });
    await mkdir(CACHE, { recursive: true });
    const part = new URL(`${name.href}.${process.pid}`);
    await writeFile(part, code);
    await rename(part, name);
    return code;
  }
}
