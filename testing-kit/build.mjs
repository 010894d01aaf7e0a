// `npm run package:kit`: makes what npm packs, in `testing-kit/dist/`, of the built service:
//   service/  the service with its packages in few files; only packages with compiled parts stay outside;
//   types/    the declarations of the kit and of its client.
// `service/` has the layout of the service's own package, because modules find their data and their threads by it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist');
const target = join(root, 'testing-kit', 'dist');
const next = `${target}-${process.pid}`;
const service = join(next, 'service');
const bundled = join(service, 'dist', 'bundled');

/** npm installs the compiled parts of these for the machine. The second one is half as large as all else together, and only
 * draws the pages of redactions: the package declares it as optional. */
const NATIVE = ['lmdb', '@napi-rs/canvas'];
/** A package of types that asks for this one only where a program validates by it, which the service does not. */
const NOT_INSTALLED = ['class-validator'];
/** Files and folders that the service reads while it runs. */
const DATA = [
  'gateway/supergraph.graphql',
  'gateway/direct-operations.json',
  'rest-facade/contract.json',
  'rest-facade/pages/graphiql',
  'subgraphs/advocacy/corpus/tables',
  'dist/verifier',
  'dist/console',
];
/** Files of packages that the service opens by their paths. */
const PACKAGE_FILES = {
  'pdfjs-dist': ['standard_fonts', 'cmaps', 'wasm'],
  'swagger-ui-dist': ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'],
};
/** pdf.js imports it next to the file that it is in. */
const PDF_WORKER = 'pdfjs-dist/legacy/build/pdf.worker.min.mjs';
const PDF_JS = /pdfjs-dist[/\\]legacy[/\\]build[/\\]pdf\.mjs$/;
/** Starts of the kit's own process and of the database's thread. */
const ENTRIES = ['testing-kit/index.js', 'embedded-mongo/launch/worker-main.js'];

if (!existsSync(join(built, ENTRIES[0]))) throw new Error('dist/ is missing: run "npm run build" first');
try {
  const entries = [...ENTRIES, ...startedFiles()];
  await bundle(entries.filter((entry) => programOf(entry) === null));
  for (const entry of entries) copyProgram(entry, programOf(entry));
  copyData();
  declareTypes();
  rmSync(target, { recursive: true, force: true });
  renameSync(next, target);
} finally {
  rmSync(next, { recursive: true, force: true });
}

/** Each entry keeps its path as a file that imports its bundle: all bundles are in one folder, so addresses have one form. */
async function bundle(entries) {
  const nameOf = (entry) => entry.slice(0, -'.js'.length).replaceAll(/[/\\]/g, '+');
  const { metafile } = await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    splitting: true,
    // Names of classes are names of models and of graph types.
    keepNames: true,
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: join(built, entry), out: nameOf(entry) })),
    outdir: bundled,
    chunkNames: '[hash]',
    external: [...NATIVE, ...NOT_INSTALLED],
    // Packages of CommonJS require the modules of Node.
    banner: { js: "import{createRequire as eas$r}from'node:module';const require=eas$r(import.meta.url);" },
    plugins: [{ name: 'addresses', setup: keepAddresses }],
  });
  for (const entry of entries) {
    const at = join(service, 'dist', entry);
    mkdirSync(dirname(at), { recursive: true });
    const from = posix(relative(dirname(at), join(bundled, `${nameOf(entry)}.js`)));
    writeFileSync(at, `export * from '${from}';\n`);
  }
  writeNotices(Object.keys(metafile.inputs));
}

/** @returns the script of `dist/bundled` that an entry leads to (build/bundle.mjs); null for a module */
function programOf(entry) {
  return /startBundled\('(\w+)'/.exec(readFileSync(join(built, entry), 'utf8'))?.[1] ?? null;
}

/** A program has its packages in its script already. */
function copyProgram(entry, name) {
  if (name === null) return;
  copy(join(built, entry), join(service, 'dist', entry));
  for (const file of ['load.mjs', `${name}.cjs`, `${name}.cjs.lines.json`]) {
    copy(join(built, 'bundled', file), join(bundled, file));
  }
}

/** @returns the files that threads and processes of the service begin with, by the calls that start them. */
function startedFiles() {
  const starts = /compiledFile\(import\.meta\.url, '([\w-]+\.js)'\)/g;
  const modules = ['shared', 'subgraphs', 'signer'].flatMap((room) =>
    readdirSync(join(built, room), { recursive: true }).map((name) => join(room, name)),
  );
  return modules
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) =>
      [...readFileSync(join(built, name), 'utf8').matchAll(starts)].map((found) => join(dirname(name), found[1])),
    );
}

/** Modules find files by their own address, which the bundle keeps, and packages by `createRequire`, which it resolves. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\.js$/ }, ({ path }) => {
    if (!path.startsWith(built + sep)) return undefined;
    const text = readFileSync(path, 'utf8');
    if (!text.includes('import.meta.url')) return undefined;
    const address = (file) => `new URL(${JSON.stringify(posix(file))},import.meta.url)`;
    const own = address(relative(built, path)).replace('("', '("../');
    const contents = text
      .replace(
        /createRequire\(import\.meta\.url\)\.resolve\('([\w-]+)\/package\.json'\)/g,
        (_call, name) => `decodeURIComponent(${address(`../../packages/${name}/package.json`)}.pathname)`,
      )
      .replace(/\b(?:const|let|var) load = createRequire\(import\.meta\.url\);/g, '')
      .replace(/\bload\((['"])/g, 'require($1')
      .replaceAll(/(?<!",)import\.meta\.url/g, `${own}.href`);
    return { contents, resolveDir: dirname(path) };
  });
  // pdf.js makes a matrix as it loads, with a class of the optional package. Reading text needs none.
  onLoad({ filter: PDF_JS }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    const made = 'const SCALE_MATRIX = new DOMMatrix();';
    if (!text.includes(made)) throw new Error(`${path} lacks "${made}": look how it starts without a canvas`);
    return { contents: text.replace(made, 'const SCALE_MATRIX = globalThis.DOMMatrix && new DOMMatrix();') };
  });
}

function copyData() {
  for (const path of DATA) copy(join(root, path), join(service, path));
  for (const [name, files] of Object.entries(PACKAGE_FILES)) {
    for (const file of files) copy(join(root, 'node_modules', name, file), join(service, 'packages', name, file));
  }
  copy(join(root, 'node_modules', PDF_WORKER), join(bundled, 'pdf.worker.mjs'));
  const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(service, 'package.json'), `${JSON.stringify({ name, version, type, private: true })}\n`);
}

function copy(from, to) {
  cpSync(from, to, { recursive: true, dereference: true, filter: (path) => !path.endsWith('.map') });
}

function declareTypes() {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'testing-kit/tsconfig.json', '--noCheck'];
  const { status } = spawnSync(process.execPath, [...tsc, '--outDir', join(next, 'types')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`tsc ended with exit code ${status}`);
}

/** The licences of the packages in the bundle, which ask to be kept with every copy. A text that several have is there once. */
function writeNotices(inputs) {
  const shown = new Set();
  const folders = inputs.map((path) => /^.*\/?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]);
  const notices = [...new Set(folders.filter((folder) => folder !== undefined))].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
    const isNew = text !== '' && !shown.has(text);
    shown.add(text);
    return `${name} ${version} (${license})\n${isNew ? `\n${text}\n` : ''}`;
  });
  writeFileSync(join(next, 'THIRD-PARTY-NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
}

function posix(path) {
  return path.replaceAll('\\', '/');
}
