import { BlockList, isIP } from 'node:net';

// Address lists of API keys: `203.0.113.0/24`, `2001:db8::/32`, or one address (RFC 4632, RFC 4291).

const MAX_PREFIX = { 4: 32, 6: 128 } as const;

interface Block {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

function blockOf(text: string): Block | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if ((version !== 4 && version !== 6) || rest.length > 0 || address.includes('%')) return undefined;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = length === undefined ? MAX_PREFIX[version] : Number(length);
  if (prefix > MAX_PREFIX[version]) return undefined;
  const mapped = MAPPED.exec(address)?.[1];
  // Callers are judged by the IPv4 address inside, so a block of mapped ones is the IPv4 block that it names.
  if (mapped !== undefined && prefix >= MAPPED_PREFIX) {
    return { address: mapped, prefix: prefix - MAPPED_PREFIX, family: 'ipv4' };
  }
  return { address, prefix, family: `ipv${version}` };
}

export const isCidr = (text: string): boolean => blockOf(text) !== undefined;

/** IPv4 inside IPv6 (`::ffff:203.0.113.7`) is how a dual-stack socket names an IPv4 caller. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Bits of `::ffff:0:0` before the IPv4 address (RFC 4291 section 2.5.5.2). */
const MAPPED_PREFIX = 96;

/** Is a caller's address within one of the blocks? An address that is none is within nothing. */
export function addressMatcher(cidrs: readonly string[]): (address: string | null) => boolean {
  // One list a family: a list of both would find an IPv4 caller within ::/0.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of cidrs) {
    const block = blockOf(text);
    if (!block) throw new RangeError('an entry of an address list is no address block');
    lists[block.family].addSubnet(block.address, block.prefix, block.family);
  }
  const judge = (address: string | null): boolean => {
    const plain = address === null ? '' : (MAPPED.exec(address)?.[1] ?? address);
    const version = isIP(plain);
    if (version === 4) return lists.ipv4.check(plain, 'ipv4');
    return version === 6 && lists.ipv6.check(plain, 'ipv6');
  };
  // A caller comes again and again from where it came from: the last answer is kept, since judging costs more than a hash.
  let last: { readonly address: string | null; readonly isWithin: boolean } | undefined;
  return (address) => {
    if (last?.address !== address) last = { address, isWithin: judge(address) };
    return last.isWithin;
  };
}
