import { SIGNATURE } from '../archive/entry-names.js';
import { readTimestamp } from '../trust/timestamp-token.js';
import type { BundleContext } from './context.js';

/** @returns the time of the stamp over `signature.sig`, if a trusted authority signed it */
export async function checkTimestamp(context: BundleContext): Promise<string | undefined> {
  const { platform, findings, options, entries, source } = context;
  if (options.timestamp === undefined) {
    findings.skipped(
      'When it was signed, by the word of a third party: give a time stamp (--timestamp FILE), if there is one.',
    );
    return undefined;
  }
  const { sha256, at, token } = readTimestamp(options.timestamp);
  const entry = entries.get(SIGNATURE);
  if (entry?.size !== 64) return undefined;
  const signature = await source.read(entry.dataAt, entry.size);
  if (sha256 === undefined) {
    findings.note('The time stamp uses another hash function than SHA-256 and was not checked.');
    return undefined;
  }
  if (sha256 !== platform.sha256Hex(signature)) {
    findings.broken('timestamp', 'TIMESTAMP_OTHER', SIGNATURE, 'the time stamp is over other bytes');
    return undefined;
  }
  const { timestampAuthorities: authorities } = options;
  const holds = authorities === undefined ? undefined : await platform.verifyTimestamp?.(signature, token, authorities);
  if (holds === false) {
    findings.broken(
      'timestamp',
      'TIMESTAMP_SIGNATURE',
      SIGNATURE,
      'the time stamp is not of the authority that you trust',
    );
    return undefined;
  }
  if (holds === undefined) {
    findings.note(
      `The time stamp is over this signature and says ${at}; whether its authority signed it was not checked (--tsa-ca FILE, and openssl).`,
    );
    return undefined;
  }
  findings.done('timestamp', `${at}, by the authority that you trust`);
  return at;
}
