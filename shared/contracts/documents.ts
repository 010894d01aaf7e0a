import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, INT, json, list, TEXT, TEXT_OR_NULL } from './call.js';

/** A document as other subgraphs see it: the row without its history. Its bytes are read from WORM by `sha256`. */
const DocumentFacts = z.object({
  document_id: z.string(),
  sha256: z.string(),
  size: z.int(),
  media_type: z.string(),
  filename: z.string(),
  title: z.string().nullable(),
  document_type: z.string().nullable(),
  source_system: z.string().nullable(),
  member_ids: list(z.string()),
  event_ids: list(z.string()),
  matter_id: z.string().nullable(),
  tags: list(z.string()),
  effective_at: z.string().nullable(),
  status: z.enum(['AVAILABLE', 'QUARANTINED', 'REJECTED', 'DISPOSED']),
  scan: z.object({
    status: z.enum(['PENDING', 'CLEAN', 'FLAGGED']),
    engine: z.string().nullable(),
    findings: list(z.object({ engine: z.string(), code: z.string(), detail: z.string() })),
  }),
  /** The redacted copy that replaces the content for readers without `documents:unredacted`; in WORM under this hash. */
  rendition: z
    .object({
      redaction_id: z.string(),
      sha256: z.string(),
      size: z.int(),
      media_type: z.string(),
      /** The name that its readers see. */
      filename: z.string(),
    })
    .nullable(),
  created_at: z.string(),
  created_by: z.string(),
  revision: z.int(),
});
export type DocumentFacts = z.infer<typeof DocumentFacts>;

/** A document that arrived inside a message. Its bytes are stored content of the tenant. */
export const FiledDocument = z.object({
  /** The event of the message. */
  event_id: z.string(),
  member_id: z.string().nullable(),
  source_system: z.string(),
  effective_at: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().min(1),
  media_type: z
    .string()
    .max(127)
    .regex(/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/),
  filename: z.string().min(1).max(256),
  title: z.string().min(1).max(500).nullable(),
});
export type FiledDocument = z.infer<typeof FiledDocument>;

/** All given members must hold; a list holds if one of its values does. */
const DocumentFactsFilter = z.object({
  memberIds: list(z.string()).exactOptional(),
  eventIds: list(z.string()).exactOptional(),
  matterId: z.string().exactOptional(),
  documentIds: list(z.string()).exactOptional(),
  /** By `created_at`: from ≤ t < to. */
  fromMs: z.number().exactOptional(),
  toMs: z.number().exactOptional(),
});
export type DocumentFactsFilter = z.infer<typeof DocumentFactsFilter>;

const DocumentFactsPage = z.object({ items: list(DocumentFacts), next_cursor: z.string().nullable() });
export type DocumentFactsPage = z.infer<typeof DocumentFactsPage>;

/** The vault's documents, for other subgraphs. */
export interface Documents {
  /** Oldest first, in every status. @param cursor of the page before, or null. @param limit at most 500. */
  list(
    tenantId: TenantId,
    filter: DocumentFactsFilter,
    cursor: string | null,
    limit: number,
  ): Promise<DocumentFactsPage>;
  /** Scans the document now if its scan is PENDING, and returns it after the scan. @throws NOT_FOUND, UNAVAILABLE */
  ensureScanned(tenantId: TenantId, documentId: string): Promise<DocumentFacts>;
  /**
   * Creates the document of an event, once for each event and content: a repeat changes nothing.
   *
   * @returns its identifier. @throws UNAVAILABLE
   */
  file(tenantId: TenantId, document: FiledDocument): Promise<string>;
}

export const documentFacts = defineCall({
  subgraph: 'vault',
  kind: 'query',
  name: 'documentFacts',
  input: { filter: json(DocumentFactsFilter), cursor: TEXT_OR_NULL, limit: INT },
  output: DocumentFactsPage,
});

export const ensureDocumentScanned = defineCall({
  subgraph: 'vault',
  kind: 'mutation',
  name: 'ensureDocumentScanned',
  input: { document_id: TEXT },
  output: DocumentFacts,
});

export const fileDocument = defineCall({
  subgraph: 'vault',
  kind: 'mutation',
  name: 'fileDocument',
  input: { document: json(FiledDocument) },
  output: z.string(),
});
