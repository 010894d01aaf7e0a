import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFile } from '../../app/repository.js';

/** Commands of a page: a fenced block in a shell's language. */
export interface ShellBlock {
  readonly heading: string;
  /** The word behind the language, such as `needs-mongodb`; '' for a block that runs anywhere. */
  readonly mark: string;
  readonly text: string;
}

const HEADING = /^#+ (.+)$/;
const OPENING = /^( *)```(?:bash|sh)(?: (\S+))?$/;

export async function shellBlocksOf(page: string): Promise<ShellBlock[]> {
  const blocks: ShellBlock[] = [];
  let heading = '';
  let open: { readonly indent: string; readonly mark: string; readonly lines: string[] } | null = null;
  for (const line of (await readFile(repositoryFile(page), 'utf8')).split('\n')) {
    if (open !== null) {
      if (line.trim() === '```') {
        blocks.push({ heading, mark: open.mark, text: open.lines.join('\n') });
        open = null;
      } else open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      continue;
    }
    heading = HEADING.exec(line)?.[1] ?? heading;
    const [, indent, mark = ''] = OPENING.exec(line) ?? [];
    if (indent !== undefined) open = { indent, mark, lines: [] };
  }
  return blocks;
}

/** `KEY=eas_live_…`: the reader puts in what an earlier answer showed. */
const PLACEHOLDER = /^(\w+)=(\w+)….*$/gm;
const READERS_PORT = /127\.0\.0\.1:8080/g;

/** Fills in what a reader would: values of earlier answers, which the shell finds in its own output, and the port. */
export const filledIn = (text: string): string =>
  text
    .replace(
      PLACEHOLDER,
      (_line, name: string, prefix: string) => `${name}=$(grep -oE '${prefix}[A-Za-z0-9_-]+' "$OUT" | tail -n 1)`,
    )
    .replace(READERS_PORT, '127.0.0.1:$PORT');

interface Ran {
  readonly code: number | null;
  /** The end of what the shell printed, each command included. */
  readonly end: string;
}

const END_SHOWN = 3_000;
/** A page starts several processes, which takes minutes on a busy machine. */
export const PAGE_TIMEOUT_MS = 600_000;
/** Shorter than the time of a test, so that a command which never ends is shown. */
const DEADLINE_MS = PAGE_TIMEOUT_MS - 20_000;

/**
 * Runs commands in one shell that ends at the first failure, in a folder that looks like the repository. Everything that
 * the shell started has ended when it resolves.
 */
export async function runShell(script: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const scratch = await mkdtemp(join(tmpdir(), 'eas-docs-'));
  const folder = join(scratch, 'repository');
  await mkdir(folder);
  for (const name of await readdir(repositoryFile('.'))) await symlink(repositoryFile(name), join(folder, name));
  const out = join(scratch, 'out');
  try {
    const code = await ended(`exec > "$OUT" 2>&1\n${script}`, folder, {
      PATH: process.env['PATH'] ?? '',
      HOME: scratch,
      TMPDIR: scratch,
      OUT: out,
      PORT: String(await freePort()),
      ...env,
    });
    return { code, end: (await readFile(out, 'utf8')).slice(-END_SHOWN) };
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function ended(script: string, cwd: string, env: Record<string, string>): Promise<number | null> {
  const shell = spawn('bash', ['-euxo', 'pipefail', '-c', script], { cwd, env, detached: true, stdio: 'ignore' });
  const endAll = (): void => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
    } catch {
      // Every process of the group has ended by itself.
    }
  };
  const timer = setTimeout(endAll, DEADLINE_MS);
  return new Promise((resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', (code) => {
      clearTimeout(timer);
      endAll();
      resolve(code);
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the port of a server is unknown');
  return address.port;
}
