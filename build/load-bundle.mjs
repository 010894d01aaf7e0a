// Starts a program of a bundle that bundle.mjs made; a build copies this file into `dist/bundled/`. The first run of a
// program keeps the code that V8 has compiled next to the bundle, so that later starts need not parse and compile it.
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const folder = dirname(fileURLToPath(import.meta.url));
/** A start is over by then, also on a busy machine: the functions that it uses are compiled. */
const KEEP_AFTER_MS = 10_000;

/**
 * Evaluates a bundle and starts one of its programs.
 *
 * @param key hash of the bundle: V8 itself compares only the length of the source
 */
export function startBundled(name, program, key) {
  const filename = join(folder, `${name}.cjs`);
  // V8's tag has its version, its flags and the processor; each program uses other functions of the bundle.
  const tag = cachedDataVersionTag().toString(16);
  const kept = `${filename}.${program.replaceAll('/', '-')}.${key}.${tag}.cache`;
  const cachedData = readKept(kept);
  // esbuild writes ASCII alone, and bundle.mjs has it write the function around it.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, ...(cachedData && { cachedData }) });
  if (script.cachedDataRejected !== false) keepLater(script, kept);
  if (process.sourceMapsEnabled) mapStacks(filename);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(filename), module, filename, folder);
  module.exports.start[program]();
}

function readKept(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function keepLater(script, path) {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return;
  }
  let isKept = false;
  const once = () => {
    if (!isKept) keep(script, path);
    isKept = true;
  };
  setTimeout(once, KEEP_AFTER_MS).unref();
  process.once('exit', once);
}

/** Writes the file whole or not at all; a program does not fail for want of it. */
function keep(script, path) {
  const next = `${path}.${process.pid}`;
  try {
    const file = openSync(next, 'wx', 0o644);
    try {
      writeFileSync(file, script.createCachedData());
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, path);
  } catch {
    rmSync(next, { force: true });
  }
}

/** Node would read a map of every token for a stack, and the driver of the database reads stacks whenever a connection ends. */
function mapStacks(filename) {
  let lines;
  const place = (frame) => {
    const text = String(frame);
    const file = frame.getFileName();
    // Kept code has the path at which it was compiled.
    if (basename(file ?? '') !== basename(filename)) return text;
    lines ??= JSON.parse(readFileSync(`${filename}.lines.json`, 'utf8'));
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    const source = sourceOf(lines, line - 1);
    return source === undefined ? text : text.replace(`${file}:${line}:${column}`, source);
  };
  Error.prepareStackTrace = (error, frames) => {
    try {
      return [String(error), ...frames.map((frame) => `    at ${place(frame)}`)].join('\n');
    } catch {
      return [Object.prototype.toString.call(error), ...frames.map((frame) => `    at ${frame}`)].join('\n');
    }
  };
}

/** @param lines as bundle.mjs writes them @returns path and line of a source of this repository */
function sourceOf({ sources, starts }, line) {
  let [from, to] = [0, starts.length / 3];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (starts[middle * 3] <= line) from = middle + 1;
    else to = middle;
  }
  const [, source = -1, offset = 0] = starts.slice((from - 1) * 3, from * 3);
  return sources[source] && `${join(folder, sources[source])}:${line + offset + 1}`;
}
