import type { CodeMessage } from '../../service/ports/notifier.js';

// What a member reads. The code, how long it is good, and who would see the record; nothing of the record itself.

export interface CodeMail {
  readonly subject: string;
  readonly text: string;
}

/** The mail that carries a code. */
export function codeMail({ kind, code, expires_at, requested_by, purpose }: CodeMessage): CodeMail {
  const until = `${expires_at.toISOString().slice(11, 16)} UTC`;
  const who =
    kind === 'AVA'
      ? [
          `Somebody asks to read your health record: ${oneLine(requested_by ?? 'unknown')}, for ${oneLine(purpose)}.`,
          'Give them this code only if you want them to read it.',
        ]
      : ['Use this code to sign in to your health record.', 'Nobody from us will ever ask you for it.'];
  return {
    subject: kind === 'AVA' ? 'A request to read your health record' : 'Your code',
    text: [
      ...who,
      '',
      code,
      '',
      `It can be used once, until ${until}. If you did not ask for it, do nothing.`,
      '',
    ].join('\n'),
  };
}

/** Text of a caller's own within a sentence of ours. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);
