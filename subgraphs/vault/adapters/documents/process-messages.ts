import type { RedactedPage } from '../../domain/redaction.js';
import type { DocumentFaultCode } from './document-fault.js';

/** What a process is started with: one piece of work. */
export type ProcessTask =
  | {
      readonly kind: 'extract';
      readonly mediaType: string;
      readonly bytes: Uint8Array;
      readonly maxPages: number;
      readonly maxCharacters: number;
    }
  | {
      readonly kind: 'redact';
      readonly mediaType: string;
      readonly bytes: Uint8Array;
      readonly terms: readonly string[];
      readonly pages: readonly RedactedPage[];
      readonly maxPages: number;
    };

/** What it tells before it ends. */
export type ProcessAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'fault';
      readonly code: DocumentFaultCode;
      readonly missing: { readonly terms: readonly number[]; readonly pages: readonly number[] };
    };
