import { hash } from 'node:crypto';
import { quoted } from './record.js';

/** What a link covers; `v` is 2 in this version (evidence.md section 2). */
export interface Header {
  readonly commit: string;
  readonly event_id: string;
  readonly fields: string;
  /** Keyed hash of the member (member-tag.ts); null for an entry that names none. */
  readonly member_tag: string | null;
  readonly prev: string;
  /** UTC, three decimals. */
  readonly recorded_at: string;
  readonly seq: number;
  readonly source_system: string;
  readonly tenant_id: string;
}

/** `<deployment>/eas/<opaque tenant log id>`: a chain cannot be moved to another tenant or deployment. */
export const originOf = (deployment: string, logId: string): string => `${deployment}/eas/${logId}`;

/** prev of seq 1. */
export function genesisHash(origin: string, sourceSystem: string, tenantId: string): string {
  const text = `{"origin":${quoted(origin)},"source_system":${quoted(sourceSystem)},"tenant_id":${quoted(tenantId)},"v":1}`;
  return hash('sha256', `eas:genesis:v1\0${text}`, 'hex');
}

/** header as JCS; the member names are in JCS order, and the hex and time members need no escaping. */
function headerText(header: Header): string {
  return (
    `{"commit":"${header.commit}","event_id":${quoted(header.event_id)},"fields":"${header.fields}",` +
    `"member_tag":${header.member_tag === null ? 'null' : `"${header.member_tag}"`},` +
    `"prev":"${header.prev}","recorded_at":"${header.recorded_at}","seq":${header.seq},` +
    `"source_system":${quoted(header.source_system)},"tenant_id":${quoted(header.tenant_id)},"v":2}`
  );
}

/** entry_hash = D("link", header). */
export const entryHash = (header: Header): string => hash('sha256', `eas:link:v1\0${headerText(header)}`, 'hex');
