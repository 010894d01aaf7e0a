/** Why a document could not be read or rewritten, in words that name nothing of its content. */
export type DocumentFaultCode =
  | 'UNREADABLE'
  | 'ENCRYPTED'
  | 'TOO_MANY_PAGES'
  | 'TOO_LARGE'
  | 'TIMEOUT'
  | 'OUT_OF_MEMORY'
  | 'UNSURE'
  | 'NOT_FOUND';

export class DocumentFault extends Error {
  readonly code: DocumentFaultCode;
  /** Of NOT_FOUND: terms (by place in the list) and pages that the document has not. */
  readonly missing: { readonly terms: readonly number[]; readonly pages: readonly number[] };

  constructor(code: DocumentFaultCode, missing: DocumentFault['missing'] = { terms: [], pages: [] }) {
    super(`document fault ${code}`);
    this.name = 'DocumentFault';
    this.code = code;
    this.missing = missing;
  }
}
