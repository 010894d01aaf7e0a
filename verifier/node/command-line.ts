import { UsageFault } from '../trust/key-set.js';

export const USAGE = `Verifies an evidence bundle, with nothing but its bytes and what you hold beside it.

  node verify.mjs BUNDLE.zip [options]

  --key THUMBPRINT       a bundle key that you trust (RFC 7638); may be repeated
  --keys FILE            the published keys (JSON Web Key Set): trusted, with what became of them
  --checkpoint FILE      a signed checkpoint that you kept
  --checkpoint-key KEY   the key of checkpoints, name+id+key; may be repeated
  --consistency FILE     proof that one checkpoint extends the other: base64 hashes, one a line
  --timestamp FILE       an RFC 3161 token over signature.sig
  --tsa-ca FILE          certificates (PEM) of the time-stamp authority; needs openssl
  --json                 the whole report as JSON

Exit: 0 VALID, 1 INVALID, 3 INTEGRITY_ONLY (no key given), 4 VALID_WITH_NOTES, 2 a command not understood.
`;

/** Options that name a file, and those that name a value. */
const FILES = ['--keys', '--checkpoint', '--consistency', '--timestamp', '--tsa-ca'] as const;
const VALUES = ['--key', '--checkpoint-key'] as const;
export type FileOption = (typeof FILES)[number];

export interface CommandLine {
  readonly bundle: string;
  readonly files: ReadonlyMap<FileOption, string>;
  readonly keys: readonly string[];
  readonly checkpointKeys: readonly string[];
  readonly json: boolean;
}

const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/** Parses the arguments; returns undefined for `--help`. @throws UsageFault */
export function readCommandLine(words: readonly string[]): CommandLine | undefined {
  const files = new Map<FileOption, string>();
  const values: Record<(typeof VALUES)[number], string[]> = { '--key': [], '--checkpoint-key': [] };
  const bundles: string[] = [];
  let json = false;
  const rest = words.values();
  for (const word of rest) {
    if (word === '--help' || word === '-h') return undefined;
    const file = FILES.find((name) => name === word);
    const value = VALUES.find((name) => name === word);
    if (word === '--json') json = true;
    else if (file !== undefined || value !== undefined) {
      const given = rest.next().value;
      if (given === undefined) throw new UsageFault(`${word} takes a value`);
      if (value !== undefined) values[value].push(given);
      else if (file !== undefined && !files.has(file)) files.set(file, given);
      else throw new UsageFault(`${word} is given twice`);
    } else if (word.startsWith('-')) throw new UsageFault(`unknown option ${word}`);
    else bundles.push(word);
  }
  const [bundle, ...more] = bundles;
  if (bundle === undefined || more.length > 0) throw new UsageFault('give one bundle');
  if (values['--key'].some((key) => !THUMBPRINT.test(key)))
    throw new UsageFault('--key takes an RFC 7638 thumbprint of SHA-256');
  return { bundle, files, keys: values['--key'], checkpointKeys: values['--checkpoint-key'], json };
}
