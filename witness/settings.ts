import { parseArgs } from 'node:util';
import { NOTE_SIGNATURE, type NoteKey, parseVerifier } from '../shared/notes/note-keys.js';
import { isKeyName, NoteFault } from '../shared/notes/signed-note.js';

/** An invalid setting; the message is for the operator. */
export class SettingsFault extends Error {}

interface WitnessSettings {
  readonly name: string;
  /** Folder of the key and the state. */
  readonly dir: string;
  /** File of verifier keys, one per line. */
  readonly logs: string;
  readonly host: string;
  readonly port: number;
}

export const USAGE = `usage: npm run witness -- --name witness.example/w1 --logs logs.txt [--dir .witness] [--host 127.0.0.1] [--port 8090]
  --name  the witness's name in its cosignatures: a URL without a scheme
  --logs  file of the logs' verifier keys, one a line; # begins a remark
  --dir   folder of the key, made at first start, and of what was seen
`;

/** @throws SettingsFault */
export function settingsFrom(args: readonly string[]): WitnessSettings {
  const text = { type: 'string' } as const;
  const options = { name: text, logs: text, dir: text, host: text, port: text };
  let values: { readonly [name in keyof typeof options]?: string | undefined };
  try {
    values = parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new SettingsFault(error instanceof Error ? error.message : String(error));
  }
  const { name, logs, dir = '.witness', host = '127.0.0.1', port = '8090' } = values;
  if (name === undefined || !isKeyName(name)) throw new SettingsFault('--name: a name without spaces and plus signs');
  if (logs === undefined) throw new SettingsFault('--logs: the file of verifier keys');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new SettingsFault('--port: a number up to 65535');
  return { name, logs, dir, host, port: Number(port) };
}

/** Reads keys by origin; a log signs under its origin (C2SP tlog-checkpoint). @throws SettingsFault with the line number */
export function logsFrom(text: string): ReadonlyMap<string, readonly NoteKey[]> {
  const logs = new Map<string, NoteKey[]>();
  for (const [i, line] of text.split('\n').entries()) {
    const verifier = line.replace(/(^|\s)#.*$/, '').trim();
    if (verifier === '') continue;
    const key = keyOf(verifier, i + 1);
    logs.set(key.name, [...(logs.get(key.name) ?? []), key]);
  }
  return logs;
}

function keyOf(verifier: string, line: number): NoteKey {
  try {
    const key = parseVerifier(verifier);
    if (key.type === NOTE_SIGNATURE) return key;
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
  }
  throw new SettingsFault(`--logs: line ${line} is no verifier key of a log`);
}
