package main

import "github.com/spf13/cobra"

func compareCommand() *cobra.Command { return &cobra.Command{Use: "compare"} }
