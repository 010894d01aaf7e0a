import { BlockList, isIP } from 'node:net';
import { addressMatcher } from '../../auth/cidr.js';

// Which addresses a request that a tenant asked for may go to (server-side request forgery): the public internet, and what
// the deployment has opened by name. Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and updates).

export interface TargetPolicy {
  /** `http://` is taken too. */
  readonly allowHttp: boolean;
  /** Blocks that are open although they are not public. */
  readonly allowedCidrs: readonly string[];
}

const CLOSED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // "this network"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT, and a cloud's metadata (100.100.100.200)
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's wire server: public by number, not by place
  ['169.254.0.0', 16], // link-local, and most clouds' metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments, and a cloud's metadata (192.0.0.192)
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Global unicast. All other ranges (loopback, ULA, link-local, multicast, NAT64, mapped) are closed. */
const OPEN_IPV6 = ['2000::', 3] as const;

const CLOSED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address of anybody's choice
  ['3fff::', 20], // documentation
];

const closedV4 = new BlockList();
for (const [address, prefix] of CLOSED_IPV4) closedV4.addSubnet(address, prefix, 'ipv4');
const openV6 = new BlockList();
openV6.addSubnet(...OPEN_IPV6, 'ipv6');
const closedV6 = new BlockList();
for (const [address, prefix] of CLOSED_IPV6) closedV6.addSubnet(address, prefix, 'ipv6');

/** `::ffff:7f00:1` as URL prints it: an IPv4 address in the clothes of IPv6. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** Normalises an address, an IPv4-mapped one to IPv4. Returns undefined for other text, and for zones. */
export function plainAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version !== 6 || text.includes('%')) return undefined;
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(canonical);
  if (!mapped) return canonical;
  const bits = (Number.parseInt(mapped[1] ?? '', 16) << 16) | Number.parseInt(mapped[2] ?? '', 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

/** What a connection to an address is: to the public internet, to a block that the deployment has opened, or refused. */
export type Verdict = 'public' | 'opened' | 'refused';

export type AddressJudge = (address: string) => Verdict;

/** @throws RangeError for a block that is none */
export function addressJudge({ allowedCidrs }: Pick<TargetPolicy, 'allowedCidrs'>): AddressJudge {
  const isOpened = addressMatcher(allowedCidrs);
  return (address) => {
    const plain = plainAddress(address);
    if (plain === undefined) return 'refused';
    if (isOpened(plain)) return 'opened';
    if (isIP(plain) === 4) return closedV4.check(plain, 'ipv4') ? 'refused' : 'public';
    return openV6.check(plain, 'ipv6') && !closedV6.check(plain, 'ipv6') ? 'public' : 'refused';
  };
}
