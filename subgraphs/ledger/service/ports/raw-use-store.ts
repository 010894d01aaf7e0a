/** What became of raw bodies of one tenant. */
export interface RawUse {
  /** Whether the body, as it was taken, gave one event and nothing else; false while that is not known. */
  isOneEvent(rawSha256: string): Promise<boolean>;
}
