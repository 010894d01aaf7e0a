import { z } from 'zod';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { readCodeFile } from '../../corpus/index.js';
import type {
  AppealRightsData,
  CodeList,
  DataSource,
  ExplainData,
  Phrases,
  PlainCode,
} from '../domain/explain-data.js';
import {
  count,
  type PhrasesFile,
  phrasesFile,
  plainTexts,
  rightsFile,
  type TableRow,
  table,
  textsWithPath,
} from '../schema/data-files.js';

// Reads the data files of explanations, which ship with the service. An invalid file stops the start.

let shipped: ExplainData | undefined;

/** Returns the shipped data, read once in a process. @throws if a file is missing or invalid */
export function shippedExplainData(): ExplainData {
  shipped ??= readExplainData();
  return shipped;
}

/** @throws if a file is missing or invalid: no text for members may be missing unnoticed. */
export function readExplainData(read: (name: string) => Buffer = readCodeFile): ExplainData {
  const file = new Files(read);
  const { value: phrases, source } = file.parsed('plain-phrases.json', phrasesFile);
  const lists = new Map([
    ['CARC', carcList(file)] as const,
    ['RARC', rarcList(file, phrases)] as const,
    ['NCPDP', ncpdpList(file, phrases)] as const,
    ['HCR03', reviewList(file, 'plain-hcr03.json')] as const,
    ['AAA03', reviewList(file, 'plain-aaa03.json')] as const,
  ]);
  const data = { lists, phrases: phrasesOf(phrases, source), rights: rightsOf(file) };
  requireNamed(data);
  return data;
}

class Files {
  readonly #read: (name: string) => Buffer;

  constructor(read: (name: string) => Buffer) {
    this.#read = read;
  }

  parsed<T extends z.ZodType>(name: string, shape: T): { readonly value: z.infer<T>; readonly source: DataSource } {
    const bytes = this.#read(name);
    const value = shape.parse(JSON.parse(bytes.toString('utf8')));
    const { revision } = z.looseObject({ revision: count.optional() }).parse(value);
    return { value, source: { id: `codes/${name}`, revision: revision ?? 1, sha256: sha256Hex(bytes) } };
  }
}

/** Joins the plain meanings for members with the professionals' table of the same codes. */
function listOf(
  file: Files,
  names: { readonly table: string; readonly plain: string },
  pathOf: (row: TableRow) => Pick<PlainCode, 'category' | 'path'>,
): CodeList {
  const rows = file.parsed(names.table, table);
  const texts = file.parsed(names.plain, plainTexts);
  const codes = new Map<string, PlainCode>();
  for (const row of rows.value.codes) {
    const meaning = texts.value.codes[row.code];
    if (meaning === undefined) throw new Error(`${names.plain} has no text of ${row.code}`);
    codes.set(row.code, {
      meaning,
      ...pathOf(row),
      replacedBy: row.deprecated === true ? (row.replaced_by ?? []) : null,
      isNote: row.alert === true,
    });
  }
  return { codes, sources: [rows.source, texts.source] };
}

const carcList = (file: Files): CodeList =>
  listOf(file, { table: 'carc.json', plain: 'plain-carc.json' }, ({ code, appeal_category, path }) => {
    if (appeal_category === undefined || path === undefined)
      throw new Error(`carc.json has no category or path for ${code}`);
    return { category: appeal_category, path };
  });

const rarcList = (file: Files, { rarc_paths }: PhrasesFile): CodeList =>
  listOf(file, { table: 'rarc.json', plain: 'plain-rarc.json' }, ({ code, appeal_category = '', alert }) => {
    const path = rarc_paths[appeal_category];
    if (path === undefined) throw new Error(`plain-phrases.json has no path for ${code}`);
    return { category: appeal_category, path: alert === true && path !== 'see_rights' ? 'none' : path };
  });

const ncpdpList = (file: Files, { ncpdp_groups, ncpdp_codes }: PhrasesFile): CodeList =>
  listOf(file, { table: 'ncpdp-rejects.json', plain: 'plain-ncpdp.json' }, ({ code, group = '' }) => {
    const found = ncpdp_codes[code] ?? ncpdp_groups[group];
    if (found === undefined) throw new Error(`plain-phrases.json has no path for ${code}`);
    return { category: found[0], path: found[1] };
  });

function reviewList(file: Files, name: string): CodeList {
  const { value, source } = file.parsed(name, textsWithPath);
  const codes = Object.entries(value.codes).map(([code, [en, es, category, path]]) => {
    const plain: PlainCode = {
      meaning: { en, es },
      category,
      path,
      replacedBy: null,
      isNote: category === 'information',
    };
    return [code, plain] as const;
  });
  return { codes: new Map(codes), sources: [source] };
}

const phrasesOf = (value: PhrasesFile, source: DataSource): Phrases => ({
  why: new Map(Object.entries(value.why)),
  whatToDo: new Map(Object.entries(value.what_to_do)),
  groups: value.groups,
  sentences: value.sentences,
  source,
});

function rightsOf(file: Files): AppealRightsData {
  const { value, source } = file.parsed('appeal-rights.json', rightsFile);
  const { programs, words, state_rules: stateRules } = value;
  return { programs, words: new Map(Object.entries(words)), stateRules, source };
}

/** @throws if a named category, path or program is missing. */
function requireNamed({ lists, phrases, rights }: ExplainData): void {
  for (const [system, { codes }] of lists) {
    for (const [code, { category, path }] of codes) {
      if (!phrases.why.has(category) || !phrases.whatToDo.has(path)) {
        throw new Error(`${system} ${code} names ${category} and ${path}, which plain-phrases.json does not have`);
      }
    }
  }
  const programs = new Set(rights.programs.map(({ program }) => program));
  const named = [...rights.words.values()].flatMap(({ of, pharmacy = [], by_code = {} }) => [
    ...of,
    ...pharmacy,
    ...Object.values(by_code).flat(),
  ]);
  const missing = [...named, ...rights.stateRules.map(({ program }) => program)].filter((name) => !programs.has(name));
  if (missing.length > 0) throw new Error(`appeal-rights.json names ${missing.join(', ')}, which it does not have`);
}
