// Compiles the service into `dist/`. `npm run build` always compiles. Every other command calls this file first:
//   --fresh    compiles when a source has changed since the last build (start, test, bench);
//   --missing  compiles only when nothing is built yet: a maintenance command never replaces the files of a running service;
//   --docs     makes only the site of the documentation, as --fresh does when nothing but pages has changed.
// The new files are complete before they take the place of the old ones, and two commands never build at the same time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DESCRIPTION_SOURCE, pageAddresses } from './site/sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(root, 'dist');
const STAMP = join(DIST, '.built-from');
/** The documentation has a separate stamp: a changed page compiles nothing. */
const DOCS = join(DIST, 'docs-site');
const DOCS_STAMP = join(DIST, '.docs-built-from');
const NEXT = join(root, `.dist-${process.pid}`);
const LOCK = join(root, '.building');
const LOCK_POLL_MS = 100;
/** Folders and files at the root that no build reads. */
const NOT_COMPILED = ['node_modules', 'dist', 'test', 'docs', 'coverage', 'docker'];
/** Folders at any level that commands write. */
const WRITTEN = ['node_modules', 'dist'];
/** Workspace packages that a build compiles into their own `dist/`, with the declarations of their types. */
const PACKAGES = ['client'];
const READ_BY_BUILD = /\.(ts|tsx|css|html|mjs|py|txt)$|^(package-lock|tsconfig.*)\.json$/;

const mode = process.argv[2] ?? '--always';
const isNeeded = () => {
  if (mode === '--always' || !existsSync(STAMP)) return true;
  return mode === '--fresh' && readFileSync(STAMP, 'utf8') !== sourcesNow();
};

const areDocsNeeded = () =>
  mode === '--docs' ||
  (mode === '--fresh' && (!existsSync(DOCS_STAMP) || readFileSync(DOCS_STAMP, 'utf8') !== docsNow()));

if (isNeeded()) await underLock(() => (isNeeded() ? build() : undefined));
else if (areDocsNeeded()) await underLock(() => (areDocsNeeded() ? buildDocs() : undefined));
else if (mode === '--missing' && readFileSync(STAMP, 'utf8') !== sourcesNow()) {
  console.error(
    'The sources have changed since the last build. This command runs what is built; "npm run build" compiles.',
  );
}

/** @returns a hash over the path, size and time of each file that a build reads. */
function sourcesNow() {
  return stampOf(sourceFiles(''));
}

/** @returns the same over the pages of the documentation. */
function docsNow() {
  return stampOf([...pageAddresses(root).keys(), DESCRIPTION_SOURCE]);
}

function stampOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function sourceFiles(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .filter(
      ({ name }) => !name.startsWith('.') && !(folder === '' && NOT_COMPILED.includes(name)) && !WRITTEN.includes(name),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourceFiles(path);
      return READ_BY_BUILD.test(entry.name) ? [path] : [];
    });
}

function build() {
  const from = sourcesNow();
  const docsFrom = docsNow();
  try {
    runSteps([
      ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', NEXT],
      ['build/bundle.mjs'],
      ['build/verifier.mjs'],
      ['build/console.mjs'],
      ['build/docs-site.mjs'],
      ...PACKAGES.map((folder) => [
        ...['node_modules/typescript/bin/tsc', '-p', `${folder}/tsconfig.json`, '--noCheck'],
        ...['--outDir', join(NEXT, 'packages', folder)],
      ]),
    ]);
    writeFileSync(join(NEXT, '.built-from'), from);
    writeFileSync(join(NEXT, '.docs-built-from'), docsFrom);
    for (const folder of PACKAGES) replace(join(root, folder, 'dist'), join(NEXT, 'packages', folder));
    rmSync(join(NEXT, 'packages'), { recursive: true });
    replace(DIST, NEXT);
  } finally {
    rmSync(NEXT, { recursive: true, force: true });
  }
}

function buildDocs() {
  const from = docsNow();
  try {
    runSteps([['build/docs-site.mjs']]);
    replace(DOCS, join(NEXT, 'docs-site'));
    writeFileSync(DOCS_STAMP, from);
  } finally {
    rmSync(NEXT, { recursive: true, force: true });
  }
}

function runSteps(steps) {
  const env = { ...process.env, BUILD_INTO: NEXT };
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, env, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${step[0]} ended with exit code ${status}`);
  }
}

/** Gives a folder the content of another one in one step, so that no program sees half of it. */
function replace(folder, next) {
  const old = `${NEXT}-old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(next, folder);
  rmSync(old, { recursive: true, force: true });
}

/** Runs one build at a time on this machine; the lock of a process that has died is taken over. */
async function underLock(work) {
  while (!takeLock()) {
    if (!isAlive(lockHolder())) rmSync(LOCK, { recursive: true, force: true });
    await sleep(LOCK_POLL_MS);
  }
  try {
    work();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

function takeLock() {
  try {
    mkdirSync(LOCK);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(LOCK, 'pid'), String(process.pid));
  return true;
}

/** @returns the process that holds the lock, or null between its making the folder and writing its number. */
function lockHolder() {
  try {
    return Number(readFileSync(join(LOCK, 'pid'), 'utf8')) || null;
  } catch {
    return null;
  }
}

function isAlive(pid) {
  if (pid === null) return existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs < 5_000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
