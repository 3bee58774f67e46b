type Toast = { id: number; text: string; isError: boolean; action?: { label: string; run(): void } }

let last = 0
const list = $state<Toast[]>([])

export const toasts = list

/** Says for some seconds what was done; an error stays until it is closed. */
export function toast(
  text: string,
  options: Partial<Pick<Toast, 'isError' | 'action'>> = {},
): void {
  const id = ++last
  list.push({ id, text, isError: false, ...options })
  if (!options.isError) setTimeout(() => dismiss(id), 6000)
}

export function dismiss(id: number): void {
  const at = list.findIndex((one) => one.id === id)
  if (at >= 0) list.splice(at, 1)
}
