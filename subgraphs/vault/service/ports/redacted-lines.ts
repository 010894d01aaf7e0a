/** Stored lines that stand for redacted events, in one tenant. */
export interface RedactedLines {
  /** Contents that are a redacted line of one of these events. */
  ofEvents(eventIds: readonly string[]): Promise<readonly string[]>;
  /** Events of which one of these contents is a redacted line. */
  eventsOf(sha256s: readonly string[]): Promise<readonly { readonly sha256: string; readonly event_id: string }[]>;
}
