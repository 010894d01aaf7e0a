import { z } from 'zod';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type {
  AppealRightsData,
  CodeList,
  DataSource,
  ExplainData,
  Phrases,
  PlainCode,
  Text,
} from '../domain/explain/explain-data.js';
import { SENTENCES } from '../domain/explain/sentences.js';
import { readCodeFile } from './code-files.js';

// Reads the files that explanations are made of. They come with the service: one that does not fit stops the start.

const text = z.tuple([z.string().min(1), z.string().min(1)]).transform(([en, es]): Text => ({ en, es }));
const HEAD = { _about: z.string(), provenance: z.string(), revision: z.int().positive() };

const plainTexts = z.strictObject({ ...HEAD, codes: z.record(z.string(), text) });
const judgedTexts = z.strictObject({
  ...HEAD,
  codes: z.record(z.string(), z.tuple([z.string(), z.string(), z.string(), z.string()])),
});

const table = z.looseObject({
  codes: z.array(
    z.looseObject({
      code: z.string(),
      appeal_category: z.string().optional(),
      path: z.string().optional(),
      group: z.string().optional(),
      deprecated: z.boolean().optional(),
      replaced_by: z.array(z.string()).optional(),
      alert: z.boolean().optional(),
    }),
  ),
});
type TableRow = z.infer<typeof table>['codes'][number];

const phrasesFile = z.strictObject({
  ...HEAD,
  rarc_paths: z.record(z.string(), z.string()),
  ncpdp_groups: z.record(z.string(), z.tuple([z.string(), z.string()])),
  ncpdp_codes: z.record(z.string(), z.tuple([z.string(), z.string()])),
  why: z.record(z.string(), text),
  what_to_do: z.record(z.string(), text),
  groups: z.strictObject({ CO: text, PR: text, OA: text, PI: text, CR: text }),
  sentences: z.record(z.enum(SENTENCES), text),
});
type PhrasesFile = z.infer<typeof phrasesFile>;

const day = z.iso.date();
const count = z.int().positive();
const span = z.union([z.strictObject({ days: count }), z.strictObject({ months: count })]);
const level = z.strictObject({
  level: count,
  name: text,
  file_within: span.optional(),
  counted_from: z.enum(['NOTICE', 'STEP_BEFORE', 'LETTER', 'ANY_TIME', 'NONE']),
  automatic: z.boolean().optional(),
  is_external: z.boolean().optional(),
  decided: z
    .strictObject({
      standard_days: count.optional(),
      standard_hours: count.optional(),
      payment_days: count.optional(),
      expedited_hours: count.optional(),
    })
    .optional(),
  keep_care_days: count.optional(),
  note: text.optional(),
  citation: z.string().min(1),
});
const rightsFile = z.strictObject({
  ...HEAD,
  programs: z.array(
    z.strictObject({
      program: z.string(),
      title: text,
      names: z.array(z.string()),
      editions: z.array(
        z.strictObject({ effective_from: day, effective_to: day.optional(), levels: z.array(level).min(1) }),
      ),
    }),
  ),
  words: z.record(
    z.string(),
    z.strictObject({
      of: z.array(z.string()).min(1),
      pharmacy: z.array(z.string()).optional(),
      by_code: z.record(z.string(), z.array(z.string())).optional(),
    }),
  ),
  state_rules: z.array(
    z.strictObject({
      program: z.string(),
      jurisdiction: z.string(),
      level: count,
      effective_from: day,
      file_within: span,
      note: text.optional(),
      citation: z.string().min(1),
    }),
  ),
});

/** @throws where a file is missing or does not fit: what members are told must not go missing unseen. */
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
  refuseDangling(data);
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

/** The meaning of members' own file beside what the professionals' table says of the same code. */
function listOf(
  file: Files,
  names: { readonly table: string; readonly plain: string },
  judge: (row: TableRow) => Pick<PlainCode, 'category' | 'path'>,
): CodeList {
  const rows = file.parsed(names.table, table);
  const texts = file.parsed(names.plain, plainTexts);
  const codes = new Map<string, PlainCode>();
  for (const row of rows.value.codes) {
    const meaning = texts.value.codes[row.code];
    if (meaning === undefined) throw new Error(`${names.plain} has no text of ${row.code}`);
    codes.set(row.code, {
      meaning,
      ...judge(row),
      replacedBy: row.deprecated === true ? (row.replaced_by ?? []) : null,
      isNote: row.alert === true,
    });
  }
  return { codes, sources: [rows.source, texts.source] };
}

const carcList = (file: Files): CodeList =>
  listOf(file, { table: 'carc.json', plain: 'plain-carc.json' }, ({ code, appeal_category, path }) => {
    if (appeal_category === undefined || path === undefined) throw new Error(`carc.json does not judge ${code}`);
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
    const judged = ncpdp_codes[code] ?? ncpdp_groups[group];
    if (judged === undefined) throw new Error(`plain-phrases.json has no path for ${code}`);
    return { category: judged[0], path: judged[1] };
  });

function reviewList(file: Files, name: string): CodeList {
  const { value, source } = file.parsed(name, judgedTexts);
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

/** Every category, path and program that is named must be there. */
function refuseDangling({ lists, phrases, rights }: ExplainData): void {
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
