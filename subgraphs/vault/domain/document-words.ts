import type { WeightedText } from '../../../shared/text/searched-text.js';

/** What a document says of itself, beside its content; nothing of it changes once it is taken in. */
export interface DescribedDocument {
  readonly document_id: string;
  readonly title: string | null;
  readonly document_type: string | null;
  readonly source_system: string | null;
  readonly filename: string;
  readonly tags: readonly string[];
  readonly member_ids: readonly string[];
}

export interface DescribingText extends WeightedText {
  /** Where in the record it stands, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
}

// What events give their identifiers, codes and reasons (docs/search.md "What is answered").
const IDENTIFIER = 4;
const CODE = 3;
const NOTE = 2;

/**
 * The texts of a record that it is found by. Its hash is none of them: readers of a rendition do not learn the original's.
 */
export const describingTexts = (document: DescribedDocument): readonly DescribingText[] => [
  ...some('/title', document.title, CODE),
  ...some('/document_type', document.document_type, CODE),
  { pointer: '/filename', text: document.filename, weight: NOTE },
  ...document.tags.map((text, i) => ({ pointer: `/tags/${i}`, text, weight: CODE })),
  ...some('/source_system', document.source_system, NOTE),
  ...document.member_ids.map((text, i) => ({ pointer: `/member_ids/${i}`, text, weight: IDENTIFIER })),
  { pointer: '/document_id', text: document.document_id, weight: IDENTIFIER },
];

const some = (pointer: string, text: string | null, weight: number): readonly DescribingText[] =>
  text === null ? [] : [{ pointer, text, weight }];
