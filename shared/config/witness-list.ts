import { z } from 'zod';
import { COSIGNATURE_V1, type NoteKey, parseVerifier } from '../notes/note-keys.js';
import { NoteFault } from '../notes/signed-note.js';

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
