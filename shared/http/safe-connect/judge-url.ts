import { isIP } from 'node:net';
import { type AddressJudge, addressJudge, type TargetPolicy, type Verdict } from './address-policy.js';

const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** A URL that may be tried, taken apart. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

/** The target of the URL as far as known without resolving its name, or the reason for its owner why it is rejected. */
export type UrlVerdict = { readonly target: Target } | { readonly refused: string };

/** Whether a port may be asked at an address: those of the schemes alone, every one where the deployment has opened the block. */
export const isPortOpen = ({ allowHttp }: Pick<TargetPolicy, 'allowHttp'>, verdict: Verdict, port: number): boolean =>
  verdict === 'opened' || port === HTTPS_PORT || (allowHttp && port === HTTP_PORT);

/**
 * Judges an address as it is written: scheme, user information, and a literal host in any spelling (the URL parser turns
 * decimal, octal, hexadecimal and short forms into dotted ones). Names are judged when they are resolved, at each connection;
 * their port at once where no block is open.
 */
export function urlJudge(policy: TargetPolicy): (url: string) => UrlVerdict {
  const judge = addressJudge(policy);
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const schemes = policy.allowHttp ? ['https:', 'http:'] : ['https:'];
    if (!url || !schemes.includes(url.protocol)) {
      return { refused: `Must be an absolute ${policy.allowHttp ? 'https or http' : 'https'} address.` };
    }
    if (url.username !== '' || url.password !== '') return { refused: 'Must not hold a user name or a password.' };
    const refused = judgeHost(url, policy, judge);
    return refused === null ? { target: { origin: url.origin, path: `${url.pathname}${url.search}` } } : { refused };
  };
}

function judgeHost(url: URL, policy: TargetPolicy, judge: AddressJudge): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const verdict = isIP(host) === 0 ? verdictOnName(policy) : judge(host);
  if (verdict === 'refused') return 'Must not lead to a private, local or reserved address.';
  const schemePort = url.protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
  const port = url.port === '' ? schemePort : Number(url.port);
  if (isPortOpen(policy, verdict, port)) return null;
  return `Must name no port but ${policy.allowHttp ? '443 and 80' : '443'}.`;
}

/** The best that a name may lead to. */
const verdictOnName = ({ allowedCidrs }: TargetPolicy): Verdict => (allowedCidrs.length > 0 ? 'opened' : 'public');
