import type { Platform } from '../platform.js';
import { quoted } from '../text/bytes.js';

// Headers, links and the beginning of a chain (evidence.md section 2).

interface Header {
  readonly commit: string;
  readonly event_id: string;
  readonly fields: string;
  readonly member_tag: string | null;
  readonly prev: string;
  readonly recorded_at: string;
  readonly seq: number;
  readonly source_system: string;
}

/** entry_hash = D("link", header), with the members in the order of RFC 8785. @param tenantText tenant id as JSON */
export function entryHash(platform: Platform, header: Header, tenantText: string): string {
  const { commit, event_id, fields, member_tag, prev, recorded_at, seq, source_system } = header;
  return platform.sha256Hex(
    `eas:link:v1\0{"commit":"${commit}","event_id":${quoted(event_id)},"fields":"${fields}",` +
      `"member_tag":${member_tag === null ? 'null' : `"${member_tag}"`},"prev":"${prev}",` +
      `"recorded_at":${quoted(recorded_at)},"seq":${seq},"source_system":${quoted(source_system)},` +
      `"tenant_id":${tenantText},"v":2}`,
  );
}

/** prev of seq 1; binds a chain to its deployment, tenant and source. */
export function genesisHash(platform: Platform, origin: string, sourceSystem: string, tenantId: string): string {
  const [o, s, t] = [origin, sourceSystem, tenantId].map((text) => JSON.stringify(text));
  return platform.sha256Hex(`eas:genesis:v1\0{"origin":${o},"source_system":${s},"tenant_id":${t},"v":1}`);
}
