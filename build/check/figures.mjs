// `npm run check -- --figures`: the size and shape of the code, one figure a line, with the aim where there is one.
import { posix } from 'node:path';
import { publicFiles, readCode, readPages } from './sources.mjs';

/** Words that plain English avoids: they have no one meaning here. */
const PRIVATE_WORDS =
  /\b(told|tells of|stands|nobody|somebody|anew|what is|what was|whose|whoever|one.s own|of its own|beside|goes on|given out|let in)\b/i;
const IS_COMMENT = /^\s*(\/\/|\/\*|\*)/;

const { sources, tests, benches } = readCode();
const countLines = (files) => files.reduce((sum, { lines }) => sum + lines.length, 0);
const sizes = sources.map(({ lines }) => lines.length).sort((a, b) => a - b);
const quantile = (share) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))];

function fullestFolder() {
  const counts = new Map();
  for (const { path } of sources) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0];
}

/** Names of each file that the given files import; `*` for all of them. */
function importedBy(files) {
  const names = new Map();
  for (const { path, names: wanted } of files.flatMap(({ imports }) => imports)) {
    const known = names.get(path) ?? new Set();
    for (const name of wanted) known.add(name);
    names.set(path, known);
  }
  return names;
}

const perThousand = (texts) =>
  (1000 * texts.filter((text) => PRIVATE_WORDS.test(text)).length) / Math.max(texts.length, 1);

const inCode = importedBy([...sources, ...benches]);
const inTests = importedBy(tests);
const isUsed = (names, name) => names !== undefined && (names.has(name) || names.has('*'));
/** Other packages import these files, so nothing here needs to. */
const PUBLIC = publicFiles();
const inner = sources.filter(({ path }) => !PUBLIC.has(path));
const unused = inner.flatMap(({ path, exports }) =>
  exports
    .filter(({ name }) => !isUsed(inCode.get(path), name) && !isUsed(inTests.get(path), name))
    .map((it) => ({ ...it, path })),
);
const forTests = inner.flatMap(({ path, exports }) =>
  exports
    .filter(({ name }) => !isUsed(inCode.get(path), name) && isUsed(inTests.get(path), name))
    .map((it) => ({ ...it, path })),
);
const casts = sources.flatMap((file) => file.casts.map((kind) => ({ path: file.path, kind })));
const [folder, filesInFolder] = fullestFolder();
const comments = [...sources, ...tests, ...benches].flatMap(({ lines }) =>
  lines.filter((line) => IS_COMMENT.test(line)),
);

const FIGURES = [
  ['source files', sources.length, ''],
  ['source lines', countLines(sources), '<= 115000'],
  ['test lines for a source line', (countLines(tests) / countLines(sources)).toFixed(2), '>= 0.60'],
  [`files in the fullest folder (${folder})`, filesInFolder, '<= 25'],
  ['lines a file: median', quantile(0.5), '80-130'],
  ['lines a file: 90th percentile', quantile(0.9), '<= 250'],
  ['lines a file: largest', quantile(1), '<= 400'],
  ['casts (as T, without as const)', casts.length, '<= 150'],
  ['exports that no file imports', unused.length, '0'],
  ['  of them types', unused.filter(({ isType }) => isType).length, '0'],
  ['exports that only tests import', forTests.length, ''],
  ['avoided words in 1,000 comment lines', perThousand(comments).toFixed(1), '<= 3'],
  ['avoided words in 1,000 lines of pages', perThousand(readPages()).toFixed(1), '<= 3'],
  ['avoided words in 1,000 test names', perThousand(tests.flatMap(({ names }) => names)).toFixed(1), '<= 6'],
];

for (const [name, value, aim] of FIGURES) console.log(`${name.padEnd(64)} ${String(value).padStart(8)}  ${aim}`);

if (process.argv.includes('--list')) {
  for (const { path, name } of unused) console.log(`unused export  ${path}: ${name}`);
  for (const { path, name } of forTests) console.log(`for tests alone  ${path}: ${name}`);
  for (const { path, kind } of casts) console.log(`cast  ${path}: ${kind}`);
}
