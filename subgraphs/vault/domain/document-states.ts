import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A document's life (api.md section 3 "Documents"): its content is given out while it is AVAILABLE and never else.

export const DOCUMENT_STATUSES = ['AVAILABLE', 'QUARANTINED', 'REJECTED', 'DISPOSED'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** PENDING: no scan has seen it yet. */
export const SCAN_STATUSES = ['PENDING', 'CLEAN', 'FLAGGED'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

/** `upload-flagged`, `pass-scan` and `quarantine` are what a scan makes of it; `dispose` is retention's. */
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

/** Custody tells of an upload, so that it leaves no second entry. REJECTED takes nothing but its disposal; a released document may be flagged again by a later scan. */
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
  { from: 'QUARANTINED', action: 'release', to: 'AVAILABLE', ...review, emits: ['document.released'] },
  { from: 'QUARANTINED', action: 'reject', to: 'REJECTED', ...review, emits: ['document.rejected'] },
  { from: 'AVAILABLE', ...dispose },
  { from: 'QUARANTINED', ...dispose },
  { from: 'REJECTED', ...dispose },
]);
