/** Use of the raw bodies of one tenant. */
export interface RawUse {
  /** Returns whether the body gave exactly one event and nothing else; false while that is unknown. */
  isOneEvent(rawSha256: string): Promise<boolean>;
}
