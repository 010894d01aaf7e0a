// The second step of a build: bundles what starts often, with its packages, into one script a program. Node spends about a
// millisecond on every module that it loads; a start of the service loads more than four thousand.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where build.mjs has the compiled files written. */
const into = resolve(process.env.BUILD_INTO ?? 'dist');
const BUNDLED = `${into}/bundled`;
const LOADER = 'load.mjs';

/** Packages with compiled code find it next to their own files. */
const COMPILED = ['lmdb', 'msgpackr-extract', '@napi-rs/canvas'];
/** Large packages that few starts need: each start would read their text. */
const RARE = [
  '@aws-sdk/*',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/exporter-*',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-*',
  'mongodb-memory-server-core',
  'nodemailer',
  'pdf-lib',
];
/** A package that type-graphql uses if it is installed; other packages ask for such ones in a way that esbuild knows. */
const OPTIONAL = ['class-validator'];

/** A map of one position for a file of a package: the map of the bundle is for the sources of this repository. */
const NO_MAP = Buffer.from('{"version":3,"sources":["package"],"mappings":"A"}').toString('base64');

const { scripts } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
/** `npm start`, which is every role, and the maintenance commands. */
const COMMANDS = Object.values(scripts).flatMap(
  (script) => /dist\/(app\/(?:main|commands\/[\w-]+|data\/[\w-]+))\.js/.exec(script)?.[1] ?? [],
);

await mkdir(BUNDLED, { recursive: true });
await copyFile(fileURLToPath(new URL('load-bundle.mjs', import.meta.url)), `${BUNDLED}/${LOADER}`);
await bundle(
  'database',
  ['child-main', 'worker-main', 'serve-main'].map((name) => `embedded-mongo/launch/${name}`),
);
await bundle('signer', ['signer/child-main']);
await bundle('service', COMMANDS);

/** Makes `bundled/<name>.cjs`. A file such as `dist/app/main.js` keeps its name and only leads to the bundle. */
async function bundle(name, programs) {
  const outfile = `${BUNDLED}/${name}.cjs`;
  const start = programs.map((path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(`./${path}.js`)})`);
  await build({
    stdin: { contents: `export const start = { ${start.join(', ')} };`, resolveDir: into },
    outfile,
    absWorkingDir: into,
    bundle: true,
    platform: 'node',
    // V8 keeps compiled code of scripts, not of modules, on disk. A late import evaluates its part of the script.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    target: 'node20',
    external: [...COMPILED, ...RARE, ...OPTIONAL],
    // The loader evaluates the file as it is: a copy of the text with a frame around it would stay in memory.
    banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
    footer: { js: '})' },
    // Names of classes are names of models and of graph types.
    keepNames: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [{ name: 'keep module addresses', setup: keepModuleUrls }],
  });
  const script = await readFile(outfile, 'latin1');
  const map = JSON.parse(await readFile(`${outfile}.map`, 'utf8'));
  await writeFile(`${outfile}.lines.json`, JSON.stringify(linesOf(script, map)));
  await rm(`${outfile}.map`);
  const key = createHash('sha256').update(script, 'latin1').digest('hex').slice(0, 16);
  await Promise.all(programs.map((path) => writeFile(`${into}/${path}.js`, leadTo(name, path, key))));
}

/**
 * Reduces the map of a script to its lines: a stack needs no more, and a map of every token takes half a second to read.
 *
 * @returns triples: from this line of the script on, the lines are those of a source (-1: a package), so many lines further
 */
function linesOf(script, payload) {
  const map = new SourceMap(payload);
  const sources = [];
  const starts = [];
  for (const [line, text] of script.split('\n').entries()) {
    const { generatedLine, originalSource, originalLine } = map.findEntry(line, Math.max(text.search(/\S/), 0));
    if (generatedLine !== line) continue;
    const isPackage = originalSource.includes('node_modules/');
    if (!isPackage && !sources.includes(originalSource)) sources.push(originalSource);
    const next = isPackage ? [line, -1, 0] : [line, sources.lastIndexOf(originalSource), originalLine - line];
    if (next[1] !== starts.at(-2) || next[2] !== starts.at(-1)) starts.push(...next);
  }
  return { sources, starts };
}

function leadTo(name, path, key) {
  const loader = posix.join(posix.relative(posix.dirname(path), 'bundled'), LOADER);
  const values = [name, path, key].map((value) => `'${value}'`).join(', ');
  return `import { startBundled } from '${loader}';\n\nstartBundled(${values});\n`;
}

/** Modules find packages and the programs that they start by their own address, so they keep it. */
function keepModuleUrls({ onLoad }) {
  onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
    const text = await readFile(path, 'utf8');
    if (path.includes('/node_modules/') || !path.startsWith(into)) return packageFile(path, text);
    if (!text.includes('import.meta.url')) return undefined;
    const from = relative(BUNDLED, path).replaceAll('\\', '/');
    const address = `require('node:url').pathToFileURL(__dirname + ${JSON.stringify(`/${from}`)}).href`;
    return { contents: text.replaceAll('import.meta.url', address), resolveDir: dirname(path) };
  });
}

function packageFile(path, text) {
  if (text.includes('import.meta.url')) throw new Error(`${path} needs its own address: leave its package out`);
  return {
    contents: `${text}\n//# sourceMappingURL=data:application/json;base64,${NO_MAP}`,
    resolveDir: dirname(path),
  };
}
