import { internalContext, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { SharedNotice } from '../../../shared/contracts/holds.js';
import type { Grantors, TenantDirectory } from '../../../shared/contracts/tenants.js';
import { equalInConstantTime, sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import { LINK_SECRET_BYTES } from '../../../shared/ids/link-token.js';
import { forWork } from '../../../shared/ids/work.js';
import { MAX_LINKS, NOTICE_TOKENS } from './domain.js';
import { type NoticeDeps, noticeSteps, requireActive } from './give-notice.js';
import type { NoticeStore, StoredNotice } from './ports.js';

const HOUR_MS = 3_600_000;

/** Name of the service as the taker of acknowledgements by link. */
const TAKER = 'hold-notice-links';

interface NoticeLink {
  readonly notice: StoredNotice;
  /** The service stores only its hash. */
  readonly token: string;
}

/**
 * Makes a link with which a custodian without a key reads and acknowledges the notice. A link before it ends. Leaves custody
 * SHARE.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT for a custodian with an actor, a released hold or too many links
 */
export async function shareNotice(
  deps: NoticeDeps,
  context: RequestContext,
  noticeId: string,
  hours: number,
): Promise<NoticeLink> {
  const { steps, options } = noticeSteps(deps, context, 'holds:write');
  const secret = forWork(deps, context, 'hold-notice-token').randomness.fill(new Uint8Array(LINK_SECRET_BYTES));
  const token = NOTICE_TOKENS.tokenOf(noticeId, secret);
  const { keyId, sessionId } = context.principal;
  const change = async ({ hold_id, custodian_id, history }: StoredNotice, at: Date) => {
    if (custodian_id !== null) {
      throw problem('CONFLICT', { message: 'This custodian acknowledges with their own key or session.' });
    }
    await requireActive(deps, context, hold_id);
    if (history.filter(({ action }) => action === 'share').length >= MAX_LINKS) {
      throw problem('CONFLICT', { message: `A notice has ${MAX_LINKS} links.` });
    }
    return {
      link_expires_at: new Date(at.getTime() + hours * HOUR_MS),
      link_sha256: sha256Hex(token),
      link_grantor: { key_id: keyId, session_id: sessionId ?? null },
    };
  };
  return { notice: await steps.take(noticeId, 'share', { change, ...options }), token };
}

export interface OpenNoticeDeps extends NoticeDeps {
  readonly notices: NoticeStore;
  readonly grantors: Grantors;
  readonly tenants: TenantDirectory;
}

/** Returns the notice that a token opens at this moment. @returns null for every token that opens nothing */
export async function openNotice(deps: OpenNoticeDeps, token: string): Promise<SharedNotice | null> {
  const notice = await linkedNotice(deps, token);
  return notice && sharedNotice(notice);
}

/**
 * Acknowledges the notice of a token. Leaves custody ACKNOWLEDGE.
 *
 * @param name as the custodian has typed it
 * @returns null for every token that opens nothing
 * @throws INVALID_TRANSITION
 */
export async function acknowledgeByLink(
  deps: OpenNoticeDeps,
  token: string,
  { name, requestId }: { readonly name: string; readonly requestId: string },
): Promise<SharedNotice | null> {
  const notice = await linkedNotice(deps, token);
  if (notice === null) return null;
  const context = { ...internalContext(notice.tenant_id, TAKER), requestId };
  const { steps, options } = noticeSteps(deps, context);
  const change = (_before: StoredNotice, at: Date) => ({ acknowledged_at: at, how: `By link, as ${name}` });
  const revision = { revision: notice.revision };
  return sharedNotice(await steps.take(notice.notice_id, 'acknowledge', { change, ...revision, ...options }));
}

/** The notice of a token that has not ended, if its maker may still give notices. @throws INTEGRITY_FAILURE */
async function linkedNotice(deps: OpenNoticeDeps, token: string): Promise<StoredNotice | null> {
  const id = NOTICE_TOKENS.idIn(token);
  const tenantId = id === null ? null : await deps.notices.tenantOf(id);
  if (id === null || tenantId === null) return null;
  const notice = await deps.notices.forTenant(tenantId).get(id);
  if (notice === null || notice.link_sha256 === null || notice.link_grantor === null) return null;
  const presented = Buffer.from(sha256Hex(token), 'hex');
  if (!equalInConstantTime(Buffer.from(notice.link_sha256, 'hex'), presented)) return null;
  const isOver = notice.link_expires_at === null || deps.clock.nowMs() >= notice.link_expires_at.getTime();
  if (isOver || notice.status === 'WITHDRAWN') return null;
  if ((await deps.tenants.find(tenantId))?.status !== 'ACTIVE') return null;
  const maker = await deps.grantors.rightsOf(notice.link_grantor);
  if (maker === null || !maker.scopes.has('holds:write')) return null;
  return maker.tenantId === null || maker.tenantId === tenantId ? notice : null;
}

/** The holder of the link sees the notice, and neither the hold nor its history. */
function sharedNotice(notice: StoredNotice): SharedNotice {
  const { tenant_id, notice_id, custodian, text, status, due_at, acknowledged_at } = notice;
  return {
    tenant_id,
    notice_id,
    custodian,
    text,
    status: status === 'PENDING' ? 'PENDING' : 'ACKNOWLEDGED',
    due_at: isoTime(due_at.getTime()),
    acknowledged_at: acknowledged_at === null ? null : isoTime(acknowledged_at.getTime()),
  };
}
