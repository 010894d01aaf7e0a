import { dirname } from 'node:path';
import { areaBreach, placeOf } from './areas.js';
import { circlesOf } from './circles.js';
import {
  EFFECT_RULES,
  FREE,
  GENERATED,
  MAX_FILE_LINES,
  MAX_FILES_A_FOLDER,
  PACKAGE_RULES,
  PURE_BUILTINS,
  PURE_SHARED,
  SELF,
  ZONES,
} from './rules.js';
import type { SourceFile } from './source-file.js';

export interface Violation {
  readonly rule: 'zone' | 'area' | 'circle' | 'folder' | 'package' | 'effect' | 'length' | 'unreached' | 'missing';
  readonly file: string;
  readonly detail: string;
}

const expressions = new Map<string, RegExp>();

/** True when `path` begins with the pattern; `*` matches one path segment. */
export function matches(pattern: string, path: string): boolean {
  let expression = expressions.get(pattern);
  if (!expression) {
    const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]+');
    expression = new RegExp(`^${escaped}${pattern.endsWith('.ts') ? '$' : ''}`);
    expressions.set(pattern, expression);
  }
  return expression.test(path);
}

const isFree = (path: string): boolean => FREE.some((pattern) => matches(pattern, path));

/** `room:model` matches the files of that room in every subgraph. */
const within = (patterns: readonly string[], path: string): boolean =>
  patterns.some((p) => (p.startsWith('room:') ? placeOf(path)?.room === p.slice('room:'.length) : matches(p, path)));

/** `subgraphs/ledger` for a file in it; nothing that a pattern could name for any other. */
const subgraphOf = (path: string): string => /^subgraphs\/[^/]+/.exec(path)?.[0] ?? 'no-subgraph';

/** Every breach of rules.ts among these files. `entryPoints` are the files that something outside the code starts. */
export function violationsOf(files: readonly SourceFile[], entryPoints: readonly string[]): Violation[] {
  return [
    ...files.flatMap((file) => [
      ...zoneBreaches(file),
      ...areaBreaches(file),
      ...packageBreaches(file),
      ...effectBreaches(file),
    ]),
    ...crowded(files),
    ...circles(files),
    ...files
      .filter((file) => file.lines > MAX_FILE_LINES && !GENERATED.includes(file.path))
      .map((file) => breach('length', file.path, `${file.lines} lines`)),
    ...missing(files, entryPoints),
    ...unreached(files, entryPoints),
  ];
}

const breach = (rule: Violation['rule'], file: string, detail: string): Violation => ({ rule, file, detail });

function zoneBreaches(file: SourceFile): Violation[] {
  const zone = ZONES.find(({ files }) => matches(files, file.path));
  if (!zone) return [breach('zone', file.path, 'is in no part of the map')];
  const allowed = zone.mayImport.map((pattern) => pattern.replace(SELF, subgraphOf(file.path)));
  return file.imports
    .filter(({ path }) => path !== null && !within(allowed, path))
    .map(({ specifier }) => breach('zone', file.path, `imports ${specifier}`));
}

function areaBreaches(file: SourceFile): Violation[] {
  const from = placeOf(file.path);
  if (from === null) return [];
  return file.imports.flatMap(({ path, specifier, kind }) => {
    if (path === null) return [];
    if (from.room === 'domain' && path.startsWith('shared/') && !within(PURE_SHARED, path)) {
      return [breach('area', file.path, `imports ${specifier}: domain is pure`)];
    }
    const to = placeOf(path);
    if (to?.subgraph !== from.subgraph) return [];
    const broken = areaBreach(from, to, kind === 'type');
    return broken === null ? [] : [breach('area', file.path, `imports ${specifier}: ${broken}`)];
  });
}

function crowded(files: readonly SourceFile[]): Violation[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (isFree(path)) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES_A_FOLDER)
    .map(([folder, count]) => breach('folder', folder, `${count} source files, at most ${MAX_FILES_A_FOLDER}`));
}

/** Files that need each other before either can run. Each circle is named once, by its files in order. */
function circles(files: readonly SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const next = (path: string): string[] =>
    (byPath.get(path)?.imports ?? []).flatMap((it) => (it.kind === 'value' && it.path !== null ? [it.path] : []));
  return circlesOf([...byPath.keys()], next).map((circle) => {
    const [first = '', ...others] = [...circle].sort();
    return breach('circle', first, `imports in a circle with ${others.join(', ')}`);
  });
}

const isPackage = (name: string, specifier: string): boolean =>
  name.endsWith('/') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`);

function packageBreaches(file: SourceFile): Violation[] {
  if (isFree(file.path)) return [];
  return file.imports
    .filter(({ path, specifier }) => path === null && !packageAllowed(file.path, specifier))
    .map(({ specifier }) => breach('package', file.path, `imports ${specifier}`));
}

function packageAllowed(path: string, specifier: string): boolean {
  if (placeOf(path)?.room === 'domain') return PURE_BUILTINS.includes(specifier);
  const rule = PACKAGE_RULES.find(({ packages }) => packages.some((name) => isPackage(name, specifier)));
  return rule === undefined || within(rule.only, path);
}

function effectBreaches(file: SourceFile): Violation[] {
  if (isFree(file.path)) return [];
  return EFFECT_RULES.filter(({ only }) => !within(only, file.path)).flatMap(({ effects }) =>
    effects.filter((effect) => file.effects.has(effect)).map((effect) => breach('effect', file.path, effect)),
  );
}

function missing(files: readonly SourceFile[], entryPoints: readonly string[]): Violation[] {
  const known = new Set(files.map(({ path }) => path));
  return entryPoints.filter((path) => !known.has(path)).map((path) => breach('missing', path, 'is started, not there'));
}

/** Files that no entry point leads to. What only tests reach is dead code with a test. */
function unreached(files: readonly SourceFile[], entryPoints: readonly string[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reachedFrom = (starts: readonly string[]): ReadonlySet<string> => {
    const reached = new Set<string>();
    const open = [...starts];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      for (const { path: next } of byPath.get(path)?.imports ?? []) if (next !== null) open.push(next);
    }
    return reached;
  };
  const isTest = (path: string): boolean => path.endsWith('.test.ts');
  const inService = reachedFrom(entryPoints);
  const inTests = reachedFrom(files.map(({ path }) => path).filter(isTest));
  return files
    .filter(({ path }) => !inService.has(path) && !(isFree(path) && inTests.has(path)))
    .map(({ path }) => breach('unreached', path, 'no entry point leads here'));
}
