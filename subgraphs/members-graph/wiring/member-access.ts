import { openNotifier } from '../adapters/notifiers/open-notifier.js';
import { codeLimits, codeStore, sessionStore } from '../model/access-repository.js';
import { memberStore } from '../model/member-repository.js';
import { MemberAccessResolver } from '../resolvers/member-access-resolver.js';
import { codeSender } from '../service/member-access/send-code.js';
import type { MemberContacts } from '../service/ports/access-store.js';
import type { WireArea } from './parts.js';

/** How members, and those who act for them, get at one record: codes, sessions, tokens. */
export const wireMemberAccess: WireArea = ({ deps, directory, outbox }) => {
  const { db } = deps.database;
  const members = memberStore(db, outbox);
  const sender = codeSender(openNotifier(deps), deps.logger);
  const contacts: MemberContacts = async (tenantId, memberId) => {
    const identity = await directory.identityOf(tenantId, memberId);
    // Asked in either case: who is unknown costs the same look.
    const found = await members(tenantId).get(identity?.member_id ?? memberId);
    return identity === null || found === null
      ? null
      : { member_id: found.member_id, emails: found.emails, phones: found.phones };
  };
  const access = {
    ...deps,
    directory,
    contacts,
    codes: codeStore(db, outbox),
    sessions: sessionStore(db, outbox),
    limits: codeLimits(db, deps.masterKey, deps.clock),
    send: sender.send,
  };
  return {
    resolvers: [[MemberAccessResolver, new MemberAccessResolver(access)]],
    close: () => sender.close(),
  };
};
