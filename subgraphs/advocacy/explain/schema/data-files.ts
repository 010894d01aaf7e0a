import { z } from 'zod';
import { COUNTED_FROM, type Language, SENTENCES } from '../domain/sentences.js';

// The data files of explanations, in corpus/tables/.

const text = z
  .tuple([z.string().min(1), z.string().min(1)])
  .transform(([en, es]): Readonly<Record<Language, string>> => ({ en, es }));
const HEAD = { _about: z.string(), provenance: z.string(), revision: z.int().positive() };

export const plainTexts = z.strictObject({ ...HEAD, codes: z.record(z.string(), text) });
export const textsWithPath = z.strictObject({
  ...HEAD,
  codes: z.record(z.string(), z.tuple([z.string(), z.string(), z.string(), z.string()])),
});

export const table = z.looseObject({
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
export type TableRow = z.infer<typeof table>['codes'][number];

export const phrasesFile = z.strictObject({
  ...HEAD,
  rarc_paths: z.record(z.string(), z.string()),
  ncpdp_groups: z.record(z.string(), z.tuple([z.string(), z.string()])),
  ncpdp_codes: z.record(z.string(), z.tuple([z.string(), z.string()])),
  why: z.record(z.string(), text),
  what_to_do: z.record(z.string(), text),
  groups: z.strictObject({ CO: text, PR: text, OA: text, PI: text, CR: text }),
  sentences: z.record(z.enum(SENTENCES), text),
});
export type PhrasesFile = z.infer<typeof phrasesFile>;

const day = z.iso.date();
export const count = z.int().positive();
const span = z.union([z.strictObject({ days: count }), z.strictObject({ months: count })]);
const level = z.strictObject({
  level: count,
  name: text,
  file_within: span.optional(),
  counted_from: z.enum(COUNTED_FROM),
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
export const rightsFile = z.strictObject({
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

export type RightsFile = z.infer<typeof rightsFile>;
