/** What a signature is made from: an address, its end, and the key that the media server knows too. */
export type SigningInput = Readonly<{ address: string; expiresAtSeconds: number; key: string }>

/** The parameters that a scheme adds to the query of an address. */
export type SignedQuery = (input: SigningInput) => string
