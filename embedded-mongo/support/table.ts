import { readFileSync, writeFileSync } from 'node:fs';
import { numericAccumulators } from '../aggregate/expr/accumulate.js';
import { Frame } from '../aggregate/expr/frame.js';
import { expressionCompiler, EXPRESSION_NAMES as knownExpressions } from '../aggregate/expr/operators.js';
import { STAGE_NAMES as knownStages } from '../aggregate/pipeline.js';
import { plainAccumulators, RANK_ACCUMULATORS } from '../aggregate/stages/group.js';
import { WINDOW_FUNCTIONS } from '../aggregate/stages/window-functions.js';
import type { RawRef } from '../bson/raw.js';
import { BsonDoc } from '../bson/value.js';
import { parseIndexSpec } from '../catalog/index-definition.js';
import { overScoreIn } from '../commands/read/pipeline-rewrites.js';
import { COMMANDS } from '../commands/registry.js';
import { TRANSACTION_COMMANDS } from '../commands/session/handshake.js';
import { parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { KEYWORDS, noteKeywords } from '../match/json-schema.js';
import { compileMatcher } from '../match/matcher.js';
import { compileProjection } from '../project/projection.js';
import { compileUpdate } from '../update/updater.js';
import * as mongodb from './mongodb-names.js';
import { NOTES } from './mongodb-names.js';
import * as samples from './samples.js';

type Support = 'supported' | 'partly' | 'refused';

interface Entry {
  readonly name: string;
  readonly support: Support;
  readonly note: string | undefined;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function group(title: string, names: readonly string[], isKnown: (name: string) => boolean): Group {
  const entries = [...new Set(names)].sort(byName).map((name): Entry => {
    const note = NOTES[title]?.[name];
    if (!isKnown(name)) return { name, support: 'refused', note: undefined };
    return { name, support: note === undefined ? 'supported' : 'partly', note };
  });
  return { title, entries };
}

const byName = (a: string, b: string): number => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);

/** Whether a parser accepts the input. A MongoError is a rejection; any other error is a fault. */
function accepts(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof MongoError) return false;
    throw error;
  }
}

function sampled<S>(title: string, uses: Readonly<Record<string, S>>, parse: (use: S) => unknown): Group {
  const accepted = new Set(Object.entries(uses).flatMap(([name, use]) => (accepts(() => parse(use)) ? [name] : [])));
  return group(title, Object.keys(uses), (name) => accepted.has(name));
}

type Literal = Readonly<Record<string, unknown>>;
const ENV = { nowMs: 0, random: () => 0 };
const EXPRESSIONS = { env: ENV, frame: (root: RawRef) => new Frame(root) };
const listed = (names: Iterable<string>, known: ReadonlySet<string>) => ({
  names: [...names, ...known],
  isKnown: (name: string) => known.has(name),
});

/** Everything that a client may ask for, from the registries and parsers. */
export function supportGroups(): Group[] {
  // Transaction commands exist only to be rejected with a standalone's error.
  const honoured = COMMANDS.filter((command) => !TRANSACTION_COMMANDS.includes(command));
  const commandSet = new Set(honoured.flatMap((command) => [command.name, ...(command.aliases ?? [])]));
  const accumulators = new Set(
    [numericAccumulators, plainAccumulators, RANK_ACCUMULATORS].flatMap((table) => Object.keys(table)),
  );
  const windows = new Set(
    [...accumulators, ...Object.keys(WINDOW_FUNCTIONS)].filter((name) => name !== '$mergeObjects'),
  );
  const registries: readonly (readonly [string, readonly string[], ReadonlySet<string>])[] = [
    ['Commands', mongodb.commandNames, commandSet],
    ['Stages', mongodb.stageNames, new Set(knownStages)],
    ['Expressions', mongodb.expressionNames, new Set([...knownExpressions, '$meta'])],
    ['Accumulators of `$group`', mongodb.accumulatorNames, accumulators],
    ['Functions of `$setWindowFields`', mongodb.windowFunctionNames, windows],
    ['Keywords of `$jsonSchema`', mongodb.schemaKeywordNames, new Set([...Object.keys(KEYWORDS), ...noteKeywords])],
  ];
  const [commandGroup, ...rest] = registries.map(([title, documented, known]) => {
    const { names, isKnown } = listed(documented, known);
    return group(title, names, isKnown);
  });
  return [
    ...(commandGroup ? [commandGroup] : []),
    sampled('Query operators', samples.FILTER_SAMPLES, (use: Literal) => compileMatcher(BsonDoc.of(use), EXPRESSIONS)),
    sampled('Projections', samples.PROJECTION_SAMPLES, (use: Literal) =>
      compileProjection(overScoreIn(BsonDoc.of(use)), EXPRESSIONS),
    ),
    sampled('Update operators', updateUses(), ({ update, arrayFilters }) => compileUpdate(update, { arrayFilters })),
    ...rest,
    group('System variables', samples.VARIABLE_SAMPLES, (name) =>
      accepts(() => expressionCompiler(ENV).expression(name)),
    ),
    sampled('Indexes', samples.INDEX_SAMPLES, (use: Literal) => parseIndexSpec(BsonDoc.of({ name: 'x', ...use }))),
    sampled('Collation', samples.COLLATION_SAMPLES, (use: Literal) => parseCollation(BsonDoc.of(use))),
  ];
}

function updateUses() {
  const noFilters: BsonDoc[] = [];
  const plain = Object.entries(samples.UPDATE_SAMPLES).map(
    ([name, use]) => [name, { update: BsonDoc.of(use), arrayFilters: noFilters }] as const,
  );
  const filtered = { update: BsonDoc.of({ $set: { 'a.$[x]': 1 } }), arrayFilters: [BsonDoc.of({ x: 1 })] };
  return Object.fromEntries([...plain, ['filtered `$[identifier]`', filtered] as const]);
}

interface OptionRow {
  readonly command: string;
  readonly supported: readonly string[];
  readonly refused: readonly string[];
}

/** The options of each supported command that has some. */
export function optionRows(): OptionRow[] {
  return [...COMMANDS]
    .sort((a, b) => byName(a.name, b.name))
    .flatMap(({ name, options }) => {
      if (options === 'any') return [];
      const documented = mongodb.COMMAND_OPTIONS[name] ?? [];
      const refused = documented.filter((option) => !options.includes(option));
      return options.length + refused.length === 0 ? [] : [{ command: name, supported: options, refused }];
    });
}

const code = (name: string): string => (name.includes('`') || name.includes(' ') ? name : `\`${name}\``);

function groupLines({ title, entries }: Group): string[] {
  const of = (support: Support) => entries.filter((entry) => entry.support === support);
  const row = (label: string, cells: readonly string[]): string[] =>
    cells.length === 0 ? [] : [`| ${label} | ${cells.join(', ')} |`];
  return [
    `### ${title}`,
    '',
    '| | |',
    '|---|---|',
    ...row(
      'supported',
      of('supported').map(({ name }) => code(name)),
    ),
    ...of('partly').map(({ name, note }) => `| partly | ${code(name)}: ${note} |`),
    ...row(
      'refused',
      of('refused').map(({ name }) => code(name)),
    ),
    '',
  ];
}

/** The README tables. */
function supportTable(): string {
  const rows = optionRows().map(({ command, supported, refused }) => {
    const cell = (names: readonly string[]): string => names.map(code).join(', ');
    return `| \`${command}\` | ${cell(supported)} | ${cell(refused)} |`;
  });
  const lines = [
    ...supportGroups().flatMap(groupLines),
    '### Options of commands',
    '',
    '| | supported | refused |',
    '|---|---|---|',
    ...rows,
  ];
  return lines.join('\n');
}

const BEGIN = '<!-- support:begin (printed by `npm run docs:db`, do not edit) -->';
const END = '<!-- support:end -->';

/** The README with the current tables. */
export function withSupportTable(readme: string): string {
  const [start, stop] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (start < 0 || stop < start) throw new Error('the README lacks the marks of the support table');
  return `${readme.slice(0, start + BEGIN.length)}\n\n${supportTable()}\n\n${readme.slice(stop)}`;
}

/** Rewrites the file. @returns whether it changed. */
export function updateReadme(path: string): boolean {
  const before = readFileSync(path, 'utf8');
  const after = withSupportTable(before);
  if (after !== before) writeFileSync(path, after);
  return after !== before;
}
