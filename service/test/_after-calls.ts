type Method = (...given: any[]) => unknown

/** Resolves after further calls of a method: the job that calls it has run since. */
export async function afterCalls<Name extends string, Owner extends Record<Name, Method>>(
  owner: Owner,
  name: Name,
  isCounted: Method = () => true,
): Promise<void> {
  const original = owner[name]
  const { promise, resolve } = Promise.withResolvers<void>()
  // The second call began after the first one ended, the third after whatever that one caused.
  let left = 3
  owner[name] = new Proxy(original, {
    apply(method, self, given) {
      if (isCounted(...given) === true && --left === 0) resolve()
      return Reflect.apply(method, self, given)
    },
  })
  try {
    await promise
  } finally {
    owner[name] = original
  }
}
