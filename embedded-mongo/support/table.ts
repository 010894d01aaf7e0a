import { numericAccumulators } from '../aggregate/expr/accumulate.js';
import { Frame } from '../aggregate/expr/frame.js';
import { expressionCompiler, expressionNames as knownExpressions } from '../aggregate/expr/operators.js';
import { stageNames as knownStages } from '../aggregate/stage-table.js';
import { plainAccumulators, rankAccumulators } from '../aggregate/stages/group-accumulators.js';
import { windowFunctions } from '../aggregate/stages/window-functions.js';
import type { RawRef } from '../bson/raw.js';
import { BsonDoc } from '../bson/value.js';
import { parseIndexSpec } from '../catalog/index-definition.js';
import { commands } from '../commands/registry.js';
import { overScore } from '../commands/text-score.js';
import { transactionCommands } from '../commands/transaction-commands.js';
import { parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { keywords, noteKeywords } from '../match/json-schema.js';
import { compileMatcher } from '../match/matcher.js';
import { compileProjection } from '../project/projection.js';
import { compileUpdate } from '../update/updater.js';
import * as mongodb from './mongodb-names.js';
import { notes } from './notes.js';
import * as samples from './samples.js';

export type Support = 'supported' | 'partly' | 'refused';

export interface Entry {
  readonly name: string;
  readonly support: Support;
  readonly note: string | undefined;
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function group(title: string, names: readonly string[], isKnown: (name: string) => boolean): Group {
  const entries = [...new Set(names)].sort(byName).map((name): Entry => {
    const note = notes[title]?.[name];
    if (!isKnown(name)) return { name, support: 'refused', note: undefined };
    return { name, support: note === undefined ? 'supported' : 'partly', note };
  });
  return { title, entries };
}

const byName = (a: string, b: string): number => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);

/** Whether a parser takes it: an error of MongoDB's kind is a refusal, any other is a fault of ours. */
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
  return group(title, Object.keys(uses), (name) => accepts(() => parse(uses[name] as S)));
}

type Literal = Readonly<Record<string, unknown>>;
const env = { nowMs: 0, random: () => 0 };
const expressions = { env, frame: (root: RawRef) => new Frame(root) };
const listed = (names: Iterable<string>, known: ReadonlySet<string>) => ({
  names: [...names, ...known],
  isKnown: (name: string) => known.has(name),
});

/** Everything a client may ask for, as the registries and parsers know it. */
export function supportGroups(): Group[] {
  // Transaction commands are there to be refused the way a standalone server refuses them.
  const honoured = commands.filter((command) => !transactionCommands.includes(command));
  const commandSet = new Set(honoured.flatMap((command) => [command.name, ...(command.aliases ?? [])]));
  const accumulators = new Set(
    [numericAccumulators, plainAccumulators, rankAccumulators].flatMap((table) => Object.keys(table)),
  );
  const windows = new Set(
    [...accumulators, ...Object.keys(windowFunctions)].filter((name) => name !== '$mergeObjects'),
  );
  const registries: readonly (readonly [string, readonly string[], ReadonlySet<string>])[] = [
    ['Commands', mongodb.commandNames, commandSet],
    ['Stages', mongodb.stageNames, new Set(knownStages)],
    ['Expressions', mongodb.expressionNames, new Set([...knownExpressions, '$meta'])],
    ['Accumulators of `$group`', mongodb.accumulatorNames, accumulators],
    ['Functions of `$setWindowFields`', mongodb.windowFunctionNames, windows],
    ['Keywords of `$jsonSchema`', mongodb.schemaKeywordNames, new Set([...Object.keys(keywords), ...noteKeywords])],
  ];
  const [commandGroup, ...rest] = registries.map(([title, documented, known]) => {
    const { names, isKnown } = listed(documented, known);
    return group(title, names, isKnown);
  });
  return [
    ...(commandGroup ? [commandGroup] : []),
    sampled('Query operators', samples.filterSamples, (use: Literal) => compileMatcher(BsonDoc.of(use), expressions)),
    sampled('Projections', samples.projectionSamples, (use: Literal) =>
      compileProjection(overScore(BsonDoc.of(use)) as BsonDoc, expressions),
    ),
    sampled('Update operators', updateUses(), ({ update, arrayFilters }) => compileUpdate(update, { arrayFilters })),
    ...rest,
    group('System variables', samples.variableSamples, (name) =>
      accepts(() => expressionCompiler(env).expression(name)),
    ),
    sampled('Indexes', samples.indexSamples, (use: Literal) => parseIndexSpec(BsonDoc.of({ name: 'x', ...use }))),
    sampled('Collation', samples.collationSamples, (use: Literal) => parseCollation(BsonDoc.of(use))),
  ];
}

function updateUses() {
  const plain = Object.entries(samples.updateSamples).map(
    ([name, use]) => [name, { update: BsonDoc.of(use), arrayFilters: [] as BsonDoc[] }] as const,
  );
  const filtered = { update: BsonDoc.of({ $set: { 'a.$[x]': 1 } }), arrayFilters: [BsonDoc.of({ x: 1 })] };
  return Object.fromEntries([...plain, ['filtered `$[identifier]`', filtered] as const]);
}

export interface OptionRow {
  readonly command: string;
  readonly supported: readonly string[];
  readonly refused: readonly string[];
}

/** The options of each supported command that has some. */
export function optionRows(): OptionRow[] {
  return [...commands]
    .sort((a, b) => byName(a.name, b.name))
    .flatMap(({ name, options }) => {
      if (options === 'any') return [];
      const documented = mongodb.commandOptions[name] ?? [];
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

/** The tables as they stand in the README. */
export function supportTable(): string {
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
