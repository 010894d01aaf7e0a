import type { ScramConversation } from './scram.js';
import type { UserName } from './users.js';

/** Who a connection has proved to be. Over the unix socket nobody needs to: its permissions admit the owner alone. */
export class AuthSession {
  user: UserName | undefined;
  conversation:
    | {
        readonly id: number;
        readonly scram: ScramConversation;
        readonly name: UserName;
        proved: boolean;
        skipEmpty: boolean;
      }
    | undefined;
  private conversations = 0;

  constructor(readonly required: boolean) {}

  begin(scram: ScramConversation, name: UserName, skipEmpty: boolean): number {
    const id = ++this.conversations;
    this.conversation = { id, scram, name, proved: false, skipEmpty };
    return id;
  }

  get mayRunAll(): boolean {
    return !this.required || this.user !== undefined;
  }
}
