import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// States of a document (api.md section 3 "Documents"): readers get its content only while it is AVAILABLE.

/** State of the text extraction of one content: READY contents are found by their words, FAILED and UNSUPPORTED ones only by their record. */
export const TEXT_STATUSES = ['PENDING', 'READY', 'FAILED', 'UNSUPPORTED'] as const;
export type TextStatus = (typeof TEXT_STATUSES)[number];

/** Effective time of a document, or its upload time if it has none. */
export const documentTimeMs = ({
  effective_at,
  created_at,
}: {
  readonly effective_at: Date | null;
  readonly created_at: Date;
}): number => (effective_at ?? created_at).getTime();

export const DOCUMENT_STATUSES = ['AVAILABLE', 'QUARANTINED', 'REJECTED', 'DISPOSED'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** Most events of one document. */
export const MAX_EVENTS = 1_000;

/** PENDING: not scanned yet. */
export const SCAN_STATUSES = ['PENDING', 'CLEAN', 'FLAGGED'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

/** `upload-flagged`, `pass-scan` and `quarantine` follow from a scan; `dispose` from retention. */
export type DocumentAction =
  | 'upload'
  | 'upload-flagged'
  | 'attach'
  | 'detach'
  | 'pass-scan'
  | 'quarantine'
  | 'release'
  | 'reject'
  | 'redact'
  | 'dispose';

const write = { scope: 'documents:write' } as const;
const review = { scope: 'quarantine:release' } as const;
const own = { scope: INTERNAL_SCOPE } as const;
const dispose = { ...own, action: 'dispose', to: 'DISPOSED', emits: ['document.disposed'] } as const;

/**
 * An upload leaves a custody entry instead of a ledger entry. REJECTED allows only the disposal; a later scan may flag
 * a released document again.
 */
export const DOCUMENT_MACHINE = stateMachine<DocumentStatus, DocumentAction>('document', [
  { from: null, action: 'upload', to: 'AVAILABLE', ...write, emits: [] },
  { from: null, action: 'upload-flagged', to: 'QUARANTINED', ...write, emits: ['document.quarantined'] },
  { from: 'AVAILABLE', action: 'attach', to: 'AVAILABLE', ...write, emits: ['document.attached'] },
  { from: 'AVAILABLE', action: 'detach', to: 'AVAILABLE', ...write, emits: ['document.detached'] },
  { from: 'AVAILABLE', action: 'redact', to: 'AVAILABLE', ...own, emits: ['document.redacted'] },
  { from: 'AVAILABLE', action: 'pass-scan', to: 'AVAILABLE', ...own, emits: [] },
  { from: 'AVAILABLE', action: 'quarantine', to: 'QUARANTINED', ...own, emits: ['document.quarantined'] },
  { from: 'QUARANTINED', action: 'attach', to: 'QUARANTINED', ...write, emits: ['document.attached'] },
  { from: 'QUARANTINED', action: 'detach', to: 'QUARANTINED', ...write, emits: ['document.detached'] },
  { from: 'QUARANTINED', action: 'redact', to: 'QUARANTINED', ...own, emits: ['document.redacted'] },
  { from: 'QUARANTINED', action: 'release', to: 'AVAILABLE', ...review, emits: ['document.released'] },
  { from: 'QUARANTINED', action: 'reject', to: 'REJECTED', ...review, emits: ['document.rejected'] },
  { from: 'AVAILABLE', ...dispose },
  { from: 'QUARANTINED', ...dispose },
  { from: 'REJECTED', ...dispose },
]);

/** Members of a document that name other records and contents. */
interface Referring {
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly matter_id: string | null;
  readonly sha256: string;
  readonly rendition: { readonly sha256: string } | null;
}

const REF_PREFIXES = { member_ids: 'member', event_ids: 'event', matter_id: 'matter', sha256: 'sha256' } as const;

/** The name of a record or content in the facts of the documents that refer to it. */
export const documentRef = (member: keyof typeof REF_PREFIXES, value: string): string =>
  `${REF_PREFIXES[member]}/${value}`;

/** All that a document refers to: by these names the ledger finds it although its row is edited or removed. */
export const documentRefs = ({ member_ids, event_ids, matter_id, sha256, rendition }: Referring): readonly string[] => [
  ...member_ids.map((id) => documentRef('member_ids', id)),
  ...event_ids.map((id) => documentRef('event_ids', id)),
  ...(matter_id === null ? [] : [documentRef('matter_id', matter_id)]),
  documentRef('sha256', sha256),
  ...(rendition === null ? [] : [documentRef('sha256', rendition.sha256)]),
];
