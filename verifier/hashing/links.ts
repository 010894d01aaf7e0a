import type { Platform } from '../platform.js';
import { quoted } from '../text/bytes.js';

// Headers, links and the beginning of a chain (evidence.md section 2).

export interface Header {
  readonly commit: string;
  readonly event_id: string;
  readonly fields: string;
  readonly prev: string;
  readonly recorded_at: string;
  readonly seq: number;
  readonly source_system: string;
}

/** entry_hash = D("link", header): the members stand in the order of RFC 8785. @param tenantText as JSON */
export function entryHash(platform: Platform, header: Header, tenantText: string): string {
  const { commit, event_id, fields, prev, recorded_at, seq, source_system } = header;
  return platform.sha256Hex(
    `eas:link:v1\0{"commit":"${commit}","event_id":${quoted(event_id)},"fields":"${fields}","prev":"${prev}",` +
      `"recorded_at":${quoted(recorded_at)},"seq":${seq},"source_system":${quoted(source_system)},` +
      `"tenant_id":${tenantText},"v":1}`,
  );
}

/** prev of seq 1: binds a chain to its deployment, tenant and source. */
export function genesisHash(platform: Platform, origin: string, sourceSystem: string, tenantId: string): string {
  const [o, s, t] = [origin, sourceSystem, tenantId].map((text) => JSON.stringify(text));
  return platform.sha256Hex(`eas:genesis:v1\0{"origin":${o},"source_system":${s},"tenant_id":${t},"v":1}`);
}
