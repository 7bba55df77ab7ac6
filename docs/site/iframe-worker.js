// Search on pages that were opened from the disk. Browsers start no worker from a file, but they load a script into a
// frame: here a frame that is not shown plays the worker. Pages that come from a server keep the browser's own workers.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.onmessage = this.onerror = this.onmessageerror = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => this.hand(data, (event) => this.onmessage?.(event));
      const script = this.inside.document.createElement("script");
      this.ready = new Promise((done) => script.addEventListener("load", done));
      script.addEventListener("error", () => this.onerror?.(new Event("error", { cancelable: true })));
      script.src = address;
      this.inside.document.documentElement.append(script);
    }
    postMessage(data) {
      this.hand(data, (event) => this.ready.then(() => this.inside.dispatchEvent(event)));
    }
    hand(data, take) {
      const event = new MessageEvent("message", { data: structuredClone(data) }); // either side may change its own
      setTimeout(() => take(event));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
