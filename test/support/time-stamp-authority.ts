import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** A real time-stamp authority (`openssl ts`) behind HTTP on this machine. */
export interface TimeStampAuthority {
  readonly url: string;
  /** PEM of the root that its certificate is under. */
  readonly ca: string;
  readonly asked: () => number;
  /** What it answers in place of a token, from now on; null: tokens again. */
  answerWith(instead: { readonly status: number; readonly body: Buffer } | null): void;
  /** Judges a reply as a recipient would: `openssl ts -verify`. */
  verify(reply: Buffer, data: Buffer): string;
  /** The answer to a request, without HTTP. */
  reply(query: Buffer): Promise<Buffer>;
  stop(): Promise<void>;
}

/** Whether this machine has an openssl that can issue time stamps. */
export function opensslStamps(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
  } catch {
    return false;
  }
}

/** How the authority's certificate and tokens are made; by default as RFC 3161 asks. */
interface TimeStampOptions {
  /** The extension of the certificate. */
  readonly usage?: string;
  /** Digest of the certificate in the token's attributes. */
  readonly certificateDigest?: 'sha1' | 'sha256' | 'sha512';
}

const CONFIG = (folder: string, { usage, certificateDigest }: Required<TimeStampOptions>): string => `
[req]
distinguished_name = dn
prompt = no
[dn]
CN = Test root
[ca]
basicConstraints = critical,CA:true
[tsa_ext]
basicConstraints = critical,CA:false
${usage}
[tsa]
default_tsa = here
[here]
serial = ${folder}/serial
signer_cert = ${folder}/tsa.pem
certs = ${folder}/ca.pem
signer_key = ${folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = ${certificateDigest}
`;

export async function startTimeStampAuthority(
  keyType: 'rsa:2048' | 'ec' = 'rsa:2048',
  { usage = 'extendedKeyUsage = critical,timeStamping', certificateDigest = 'sha256' }: TimeStampOptions = {},
): Promise<TimeStampAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'eas-tsa-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  writeFileSync(at('tsa.cnf'), CONFIG(folder, { usage, certificateDigest }));
  writeFileSync(at('serial'), '01\n');
  const newKey = keyType === 'ec' ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['-newkey', keyType];
  const made = ['-nodes', '-config', at('tsa.cnf')];
  openssl('req', '-x509', ...newKey, ...made, '-extensions', 'ca', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  openssl('req', ...newKey, ...made, '-subj', '/CN=Test authority', '-keyout', at('tsa.key'), '-out', at('tsa.csr'));
  const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('tsa.cnf')];
  openssl('x509', '-req', '-in', at('tsa.csr'), ...signing, '-extensions', 'tsa_ext', '-out', at('tsa.pem'));
  let asked = 0;
  let instead: { readonly status: number; readonly body: Buffer } | null = null;
  const reply = (query: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const name = at(`query-${asked}`);
      writeFileSync(name, query);
      const args = ['ts', '-reply', '-config', at('tsa.cnf'), '-queryfile', name, '-out', `${name}.tsr`];
      execFile('openssl', args, (error) => (error ? reject(error) : resolve(readFileSync(`${name}.tsr`))));
    });
  const server = createServer(async (request, response) => {
    asked += 1;
    const query = await buffer(request);
    if (instead !== null) return void response.writeHead(instead.status).end(instead.body);
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(await reply(query));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stamp`,
    ca: readFileSync(at('ca.pem'), 'utf8'),
    asked: () => asked,
    answerWith: (answer) => {
      instead = answer;
    },
    verify: (token, data) => {
      writeFileSync(at('reply.tsr'), token);
      writeFileSync(at('data'), data);
      return openssl('ts', '-verify', '-in', at('reply.tsr'), '-data', at('data'), '-CAfile', at('ca.pem')).toString();
    },
    reply,
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
