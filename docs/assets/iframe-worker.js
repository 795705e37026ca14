// Lets pages that a browser opens from the disk search: browsers start no worker there. This stands in for `Worker` with a
// hidden frame that runs the worker's script. The name of the file keeps MkDocs Material from loading such a script from another host.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inner = this.frame.contentWindow
      inner.document.open()
      inner.document.write("<!doctype html><title>search</title>")
      inner.document.close()
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inner.importScripts = (...urls) => urls.reduce((loaded, each) => loaded.then(() => load(inner, each)), Promise.resolve())
      load(inner, url).then(() => {
        const waiting = this.waiting
        this.waiting = null
        waiting.forEach(data => this.postMessage(data))
      })
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
    }
    terminate() {
      this.frame.remove()
    }
  }
  const load = (inner, url) => new Promise((resolve, reject) => {
    const script = inner.document.createElement("script")
    script.src = new URL(url, document.baseURI)
    script.onload = resolve
    script.onerror = () => reject(new Error(`cannot load ${url}`))
    inner.document.body.append(script)
  })
  // The search asks for this name, too.
  window.IFrameWorker = window.Worker = FrameWorker
}
