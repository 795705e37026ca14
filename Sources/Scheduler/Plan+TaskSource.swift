package import Plan

extension Plan: TaskSource {}
