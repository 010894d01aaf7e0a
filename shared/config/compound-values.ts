// Settings with parts: addresses, port ranges, certificates, and lists of subgraphs and witnesses.

import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { isSubgraphName, type SubgraphName } from '../graph/subgraph-names.js';
import { COSIGNATURE_V1, type NoteKey, parseVerifier } from '../notes/note-keys.js';
import { NoteFault } from '../notes/signed-note.js';

export interface ClamavAddress {
  readonly host: string;
  readonly port: number;
}

/** clamd's own default (clamd.conf, TCPSocket in Debian's examples). */
const DEFAULT_PORT = 3310;
const ADDRESS = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/i;

/** `host`, `host:port`, `[::1]:3310`. */
export const clamavAddress = z
  .string()
  .regex(ADDRESS, 'a host name or address, and a port if it is not 3310')
  .transform((text): ClamavAddress => {
    const [, host = '', port] = ADDRESS.exec(text) ?? [];
    return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) };
  })
  .refine(({ port }) => port >= 1 && port <= 65_535, 'a port between 1 and 65535');

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

const HIGHEST = 65_535;

/** `2575-2674`, one port, or 0 for any. */
export const portRange = z.string().transform((text, context): PortRange => {
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  const any = from === 0 && to === 0;
  if (first !== '' && (any || (from >= 1 && from <= to && to <= HIGHEST))) return { from, to };
  context.addIssue({ code: 'custom', message: 'ports such as 2575-2674, or 0' });
  return z.NEVER;
});

/** Where each subgraph is reached in distributed roles; a name given twice has two processes. */
export type SubgraphUrls = ReadonlyMap<SubgraphName, readonly string[]>;

/** `ledger=http://ledger-1:8080,ledger=http://ledger-2:8080,admin=http://admin:8080` */
export const subgraphUrls = z.string().transform((text, context): SubgraphUrls => {
  const urls = new Map<SubgraphName, string[]>();
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [, name = '', url = ''] = /^\s*([a-z-]+)=(https?:\/\/[^\s/?#@]+)\/?\s*$/.exec(part) ?? [];
    if (!isSubgraphName(name)) {
      context.addIssue({ code: 'custom', message: 'name=http://host:port pairs of subgraphs, separated by commas' });
      return z.NEVER;
    }
    urls.set(name, [...(urls.get(name) ?? []), url]);
  }
  return urls;
});

/** A witness that checkpoints are shown to. */
export interface WitnessSetting {
  readonly url: string;
  readonly key: NoteKey;
}

/** `<url> <verifier key>`, separated by commas. */
export const witnessList = z.string().transform((text, context): readonly WitnessSetting[] => {
  const settings = text.split(',').map((part) => settingOf(part.trim()));
  const names = new Set(settings.map((setting) => setting?.key.publicKey.toString('hex')));
  if (settings.includes(undefined) || names.size !== settings.length) {
    context.addIssue({
      code: 'custom',
      message: 'pairs of a URL and a cosignature/v1 verifier key, separated by commas',
    });
    return z.NEVER;
  }
  return settings.flatMap((setting) => setting ?? []);
});

function settingOf(part: string): WitnessSetting | undefined {
  const [url = '', verifier = '', ...rest] = part.split(/\s+/);
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url) || rest.length > 0) return undefined;
  try {
    const key = parseVerifier(verifier);
    return key.type === COSIGNATURE_V1 ? { url, key } : undefined;
  } catch (error) {
    if (error instanceof NoteFault) return undefined;
    throw error;
  }
}

/** `claim value=role`, separated by commas: the role of each value of the roles claim. */
export const roleMap = z.string().transform((text, context): ReadonlyMap<string, string> => {
  const pairs = text.split(',').map((part) => /^\s*([^=]+?)\s*=\s*([A-Za-z0-9_-]{1,64})\s*$/.exec(part));
  if (pairs.every((pair) => pair !== null)) return new Map(pairs.map(([, value = '', role = '']) => [value, role]));
  context.addIssue({
    code: 'custom',
    message: 'pairs of a claim value and a role id, `value=role`, separated by commas',
  });
  return z.NEVER;
});

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Certificates in PEM, one after another. */
export const pemCertificates = z.string().transform((text, context) => {
  const found = text.match(PEM_CERTIFICATE) ?? [];
  try {
    if (found.length > 0) return found.map((pem) => new X509Certificate(pem));
  } catch {
    // Reported below, as for a text without certificates.
  }
  context.addIssue({ code: 'custom', message: 'certificates in PEM' });
  return z.NEVER;
});
